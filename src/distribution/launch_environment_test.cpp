#include "distribution/launch_environment.h"

#include <gtest/gtest.h>

#include <map>

#include "stoker/error.h"

namespace stoker::distribution {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<LaunchEnvironment> read(const Variables& variables) {
  return read_launch_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(LaunchEnvironment, OfAProgramThatWasStartedAloneIsNone) {
  EXPECT_FALSE(read({}));
  EXPECT_FALSE(read({{"RANK", "0"}}));  // some programs have a RANK of their own
  // The shell of a batch script has the job's variables, but is not a task of a step.
  EXPECT_FALSE(read({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}));
}

TEST(LaunchEnvironment, ComesFromEveryLauncher) {
  const std::string tf = R"({"cluster": {"chief": ["a:1"], "worker": ["b:1", "c:1"]},
                             "task": {"type": "worker", "index": 1}})";
  const Variables all[] = {
      {{"KERAS_DISTRIBUTION_PROCESS_ID", "2"}, {"KERAS_DISTRIBUTION_NUM_PROCESSES", "3"}},
      {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "3"}},
      {{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}},
      {{"RANK", "2"}, {"WORLD_SIZE", "3"}},
      {{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "3"}},
      {{"TF_CONFIG", tf}}};
  for (const Variables& variables : all) {
    const auto found = read(variables);
    ASSERT_TRUE(found) << variables.begin()->first;
    EXPECT_EQ(found->rank, 2) << found->source;
    EXPECT_EQ(found->size, 3) << found->source;
    EXPECT_NE(found->source.find(variables.begin()->first.substr(0, 4)), std::string::npos);
  }
}

TEST(LaunchEnvironment, OfTwoLaunchersMustAgree) {
  Variables variables{{"OMPI_COMM_WORLD_RANK", "1"},
                      {"OMPI_COMM_WORLD_SIZE", "2"},
                      {"RANK", "1"},
                      {"WORLD_SIZE", "2"},
                      // mpirun's daemons are a step of Slurm's: one task on each node
                      {"SLURM_PROCID", "0"},
                      {"SLURM_STEP_NUM_TASKS", "1"}};
  EXPECT_EQ(read(variables)->rank, 1);
  variables["WORLD_SIZE"] = "4";
  EXPECT_THROW(read(variables), InvalidArgument);
}

TEST(LaunchEnvironment, RefusesWhatIsNoProcess) {
  EXPECT_THROW(read({{"RANK", "2"}, {"WORLD_SIZE", "2"}}), InvalidArgument);
  EXPECT_THROW(read({{"RANK", "-1"}, {"WORLD_SIZE", "2"}}), InvalidArgument);
  EXPECT_THROW(read({{"RANK", "0"}, {"WORLD_SIZE", "two"}}), InvalidArgument);
  EXPECT_THROW(read({{"TF_CONFIG", R"({"cluster": {"worker": ["a"]}, "task": {}})"}}),
               InvalidArgument);
}

}  // namespace
}  // namespace stoker::distribution
