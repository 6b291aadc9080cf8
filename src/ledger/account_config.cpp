#include "ledger/account.h"

namespace stoker::ledger {
namespace {

Config parts_config(const Account& account) {
  Config::List parts;
  for (const auto& part : account.parts)
    parts.push_back(Config::map(
        {{"cause", part.cause}, {"seconds", part.seconds}, {"observed", part.observed}}));
  return parts;
}

Config evidence_config(const Advice& advice) {
  Config evidence = Config::map();
  for (const auto& [figure, text] : advice.evidence) evidence[figure] = text;
  return evidence;
}

Config advice_config(const Account& account) {
  Config::List list;
  for (const Advice& advice : account.advice)
    list.push_back(Config::map({{"cause", advice.cause},
                                {"sentence", advice.sentence},
                                {"remedy", advice.remedy},
                                {"place", advice.place},
                                {"observed", advice.observed},
                                {"step_now", advice.step_now},
                                {"step_then", advice.step_then},
                                {"step_low", advice.step_low},
                                {"step_high", advice.step_high},
                                {"evidence", evidence_config(advice)},
                                {"apply", advice.apply}}));
  return list;
}

}  // namespace

Config to_config(const Account& account) {
  return Config::map({{"run", account.run},
                      {"device", account.device},
                      {"device_name", account.device_name},
                      {"wall", account.wall},
                      {"busy", account.busy},
                      {"steps", account.steps},
                      {"samples", account.samples},
                      {"batch_size", account.batch_size},
                      {"samples_per_second", account.samples_per_second},
                      {"step_seconds", account.step_seconds},
                      {"parts", parts_config(account)},
                      {"verdict", account.verdict},
                      {"advice", advice_config(account)},
                      {"memory_used", account.memory_used},
                      {"memory", account.memory}});
}

}  // namespace stoker::ledger
