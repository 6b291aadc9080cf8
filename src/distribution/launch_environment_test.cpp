#include "distribution/launch_environment.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "stoker/error.h"

namespace stoker::distribution {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<LaunchEnvironment> read(const Variables& variables, const InitializeArgs& args = {}) {
  return read_launch_environment(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      args);
}

std::string failure(const Variables& variables, const InitializeArgs& args = {}) {
  try {
    read(variables, args);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
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

// Without MPI the processes find each other at this address.
TEST(LaunchEnvironment, HasTheAddressOfTheFirstProcess) {
  Variables variables{{"RANK", "1"}, {"WORLD_SIZE", "2"}};
  EXPECT_EQ(read(variables)->address, "");
  variables["MASTER_ADDR"] = "node1";
  EXPECT_EQ(read(variables)->address, "");
  variables["MASTER_PORT"] = "29500";
  EXPECT_EQ(read(variables)->address, "node1:29500");
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";  // the agent itself listens at 29500
  EXPECT_EQ(read(variables)->address, "node1:29501");
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "False";
  variables["MASTER_ADDR"] = "fe80::1";
  EXPECT_EQ(read(variables)->address, "[fe80::1]:29500");
  for (const char* port : {"http", "0", "65536", "29500 "}) {
    variables["MASTER_PORT"] = port;
    EXPECT_THROW(read(variables), InvalidArgument) << port;
  }
  // MPI has started it: the port does not matter.
  variables.insert({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
  EXPECT_EQ(read(variables)->address, "");
}

TEST(LaunchEnvironment, HasTheAddressThatKerasAndTensorFlowName) {
  Variables keras{{"KERAS_DISTRIBUTION_PROCESS_ID", "1"},
                  {"KERAS_DISTRIBUTION_NUM_PROCESSES", "2"},
                  {"KERAS_DISTRIBUTION_JOB_ADDRESSES", "10.0.0.1:1234,10.0.0.2:2345"}};
  EXPECT_EQ(read(keras)->address, "10.0.0.1:1234");
  keras["KERAS_DISTRIBUTION_JOB_ADDRESSES"] = "10.0.0.1";
  EXPECT_EQ(read(keras)->address, "");
  const Variables tf{{"TF_CONFIG", R"({"cluster": {"worker": ["a:1", "b:2"]},
                                       "task": {"type": "worker", "index": 1}})"}};
  EXPECT_EQ(read(tf)->address, "a:1");
  const Variables slurm{{"SLURM_PROCID", "1"},
                        {"SLURM_STEP_NUM_TASKS", "2"},
                        {"MASTER_ADDR", "node1"},
                        {"MASTER_PORT", "29500"}};
  EXPECT_EQ(read(slurm)->address, "node1:29500");
}

// keras.distribution.initialize(): each argument replaces its variable.
TEST(LaunchEnvironment, IsWhatTheProgramSays) {
  const auto alone = read({}, {.job_addresses = "a:1,b:2", .num_processes = 2, .process_id = 1});
  EXPECT_EQ(alone->rank, 1);
  EXPECT_EQ(alone->size, 2);
  EXPECT_EQ(alone->address, "a:1");
  EXPECT_EQ(alone->source, "the arguments of initialize()");
  Variables variables{{"KERAS_DISTRIBUTION_PROCESS_ID", "3"},
                      {"KERAS_DISTRIBUTION_NUM_PROCESSES", "4"},
                      {"KERAS_DISTRIBUTION_JOB_ADDRESSES", "c:3"}};
  const auto both = read(variables, {.num_processes = 5});
  EXPECT_EQ(both->rank, 3);
  EXPECT_EQ(both->size, 5);
  EXPECT_EQ(both->address, "c:3");
  variables = {
      {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node1"}, {"MASTER_PORT", "29500"}};
  EXPECT_EQ(read(variables, {.job_addresses = "a:1"})->address, "a:1");
  EXPECT_NE(failure(variables, {.num_processes = 3, .process_id = 1})
                .find("but RANK and WORLD_SIZE say process 1 of 2"),
            std::string::npos);
  EXPECT_NE(failure({}, {.num_processes = 2}).find("without process_id"), std::string::npos);
  EXPECT_NE(failure({}, {.process_id = 0}).find("without num_processes"), std::string::npos);
  EXPECT_THROW(read({}, {.num_processes = 2, .process_id = 2}), InvalidArgument);
}

TEST(LaunchEnvironment, TakesFromTheLauncherWhatKerasDoesNotSay) {
  Variables variables{{"OMPI_COMM_WORLD_RANK", "1"},
                      {"OMPI_COMM_WORLD_SIZE", "2"},
                      {"KERAS_DISTRIBUTION_NUM_PROCESSES", "2"}};
  EXPECT_EQ(read(variables)->rank, 1);
  EXPECT_EQ(read(variables)->source, "KERAS_DISTRIBUTION_NUM_PROCESSES and the launcher");
  variables["KERAS_DISTRIBUTION_NUM_PROCESSES"] = "3";
  EXPECT_NE(failure(variables).find("process 1 of 3, but OMPI_COMM_WORLD_RANK and"),
            std::string::npos);
  variables.erase("KERAS_DISTRIBUTION_NUM_PROCESSES");
  EXPECT_EQ(read(variables, {.process_id = 1})->size, 2);
  EXPECT_THROW(read(variables, {.process_id = 0}), InvalidArgument);
  EXPECT_EQ(
      read({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}, {.num_processes = 2})->rank, 1);
  EXPECT_FALSE(read({{"KERAS_DISTRIBUTION_PROCESS_ID", "0"}}));
  EXPECT_NE(failure({{"KERAS_DISTRIBUTION_NUM_PROCESSES", "2"}})
                .find("is set, but KERAS_DISTRIBUTION_PROCESS_ID is not."),
            std::string::npos);
}

TEST(LaunchEnvironment, OfALaterInitializeMustBeTheSame) {
  initialize();
  initialize({.num_processes = num_processes(), .process_id = process_id()});
  EXPECT_THROW(initialize({.num_processes = num_processes() + 1}), InvalidArgument);
  EXPECT_THROW(initialize({.process_id = process_id() + 1}), InvalidArgument);
}

// Both the variable and what is wrong with it are named.
TEST(LaunchEnvironment, RefusesATfConfigThatIsWrong) {
  const auto of_task = [](const std::string& task) {
    return failure({{"TF_CONFIG", R"({"cluster": {"chief": ["a:1"], "worker": ["b:1"]}, "task": )" +
                                      task + "}"}});
  };
  const std::pair<std::string, std::string> cases[] = {
      {failure({{"TF_CONFIG", "{"}}), "TF_CONFIG:1"},
      {of_task(R"({"type": "worker", "index": "0"})"), "expected an integer"},
      {of_task(R"({"type": 1, "index": 0})"), "expected a string"},
      {of_task(R"({"type": "evaluator", "index": 0})"), "\"type\" is \"evaluator\""},
      {of_task(R"({"type": "ps", "index": 0})"), "\"type\" is \"ps\""},
      {of_task(R"({"type": "chief", "index": 1})"), "chief 1, but the cluster has 1"},
      {of_task(R"({"type": "worker", "index": -1})"), "worker -1, but the cluster has 1"}};
  for (const auto& [said, part] : cases) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
    EXPECT_NE(said.find("TF_CONFIG"), std::string::npos) << said;
  }
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
