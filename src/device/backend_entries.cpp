#include "device/backend_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace stoker::device {
namespace {

struct Entry {
  const char* name;
  bool there;
};
using Entries = std::vector<Entry>;

const Entry* first(const Entries& entries, bool there) {
  const auto found = std::ranges::find(entries, there, &Entry::there);
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

std::string why_incomplete(const StokerBackend& table) {
#define STOKER_ENTRY(entry) \
  { #entry, table.entry != nullptr }
  const Entries required = {STOKER_ENTRY(name),           STOKER_ENTRY(kind),
                            STOKER_ENTRY(unavailable),    STOKER_ENTRY(device_count),
                            STOKER_ENTRY(describe),       STOKER_ENTRY(memory_holders),
                            STOKER_ENTRY(libraries),      STOKER_ENTRY(configure),
                            STOKER_ENTRY(allocate),       STOKER_ENTRY(deallocate),
                            STOKER_ENTRY(copy),           STOKER_ENTRY(plan),
                            STOKER_ENTRY(release_kernel), STOKER_ENTRY(create_program),
                            STOKER_ENTRY(run_program),    STOKER_ENTRY(release_program),
                            STOKER_ENTRY(synchronize),    STOKER_ENTRY(last_error)};
  const Entries copies = {STOKER_ENTRY(allocate_pinned),
                          STOKER_ENTRY(deallocate_pinned),
                          STOKER_ENTRY(copy_async),
                          STOKER_ENTRY(mark),
                          STOKER_ENTRY(wait),
                          STOKER_ENTRY(is_done),
                          STOKER_ENTRY(elapsed)};
  const Entries rows = {STOKER_ENTRY(pin), STOKER_ENTRY(unpin), STOKER_ENTRY(gather_async)};
  const Entries profile = {STOKER_ENTRY(start_profile), STOKER_ENTRY(stop_profile),
                           STOKER_ENTRY(read_profile), STOKER_ENTRY(dropped_calls)};
#undef STOKER_ENTRY
  if (const Entry* missing = first(required, false))
    return fmt::format("its table has no \"{}\".", missing->name);
  for (const Entries& group : {copies, rows, profile})
    if (const Entry* missing = first(group, false), *other = first(group, true); missing && other)
      return fmt::format("its table has \"{}\" but no \"{}\", which belong together.", other->name,
                         missing->name);
  return "";
}

}  // namespace stoker::device
