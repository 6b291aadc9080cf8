#include "data/sources/packed.h"

#include <fmt/format.h>

#include "data/check_spec.h"
#include "data/origins.h"
#include "io/packed/packed_writer.h"

namespace stoker::data {
namespace {

// A file written by Dataset::save.
class Packed : public Stage {
 public:
  Packed(const std::string& path, const std::source_location& created)
      : Stage("load", created), elements_(std::make_shared<PackedElements>(path)) {}
  int64_t cardinality() const override { return elements_->size(); }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    return opening.numbers_only ? numbered(*this, elements_) : elements_;
  }
  std::optional<std::string> identity() const override {
    return fmt::format("{:08x}", elements_->file().checksum());
  }
  std::optional<ElementSpec> spec() const override { return elements_->file().spec(); }

 private:
  std::shared_ptr<const PackedElements> elements_;
};

bool same_kind(const ElementSpec& a, const ElementSpec& b) {
  if (a.structure != b.structure) return false;
  for (size_t i = 0; i < a.arrays.size(); ++i)
    if (a.arrays[i].text != b.arrays[i].text || a.arrays[i].dtype != b.arrays[i].dtype ||
        a.arrays[i].shape.rank() != b.arrays[i].shape.rank())
      return false;
  return true;
}

// Extends the common spec by one more element.
ElementSpec with_element(const ElementSpec& all, const Element& element, int64_t number) {
  const ElementSpec spec = spec_of(element);
  if (spec == all) return all;
  if (!same_kind(all, spec))
    throw InvalidArgument(
        fmt::format("element {} is {}, but those before it are {}: they cannot be in one file.",
                    number, to_string(spec), to_string(all)),
        "map all elements to one structure, dtype and number of dimensions.");
  return common_spec(all, spec);
}

}  // namespace

int64_t write_packed(const Stage& stage, const Opening& opening, const std::string& path,
                     const Config& notes, const PackProgress& progress) {
  if (stage.cardinality() == INFINITE_CARDINALITY)
    throw InvalidArgument(
        fmt::format("\"{}\": {} has no end, so it cannot be written.", path, stage.where()),
        "put take(n) before it.");
  PackedWriter writer(path);
  const auto elements = stage.open(opening);
  std::optional<ElementSpec> spec;
  for (Element element; elements->next(element); element = Element()) {
    spec = spec ? with_element(*spec, element, writer.size()) : spec_of(element);
    writer.add(element);
    if (progress) progress(writer.size());
  }
  if (!spec) spec = stage.spec().value_or(spec_of(Element()));
  writer.finish(*spec, notes);
  return writer.size();
}

}  // namespace stoker::data

namespace stoker {

Dataset Dataset::load(const std::string& path, const From& from) {
  return Dataset(std::make_shared<data::Packed>(path, from));
}

void Dataset::save(const std::string& path, const SaveArgs& args) const {
  const Config names = Config::List(args.class_names.begin(), args.class_names.end());
  data::write_packed(*stage_, {}, path, Config::map({{"class_names", names}}), args.progress);
}

}  // namespace stoker
