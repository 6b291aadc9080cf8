#include "observe/proc.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "observe/cgroup.h"
#include "observe/sampler.h"

namespace stoker::observe {
namespace {

namespace fs = std::filesystem;

// A folder with a fake /proc and /sys.
class FakeRoot : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("stoker_root_" + std::to_string(getpid()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void put_process(int pid, int parent, const std::string& name, const std::string& state = "S") {
    const std::string folder = "proc/" + std::to_string(pid);
    const std::string stat = std::to_string(pid) + " (" + name + ") " + state + " " +
                             std::to_string(parent) +
                             " 1 1 0 -1 0 0 0 7 0 250 50 0 0 20 0 1 0 100 0 1000\n";
    put(folder + "/stat", stat);
    put(folder + "/task/" + std::to_string(pid) + "/stat", stat);
    put(folder + "/status", "Name:\tx\nUid:\t42\t42\nNSpid:\t" + std::to_string(pid) +
                                "\t7\nCpus_allowed_list:\t0-3,8\n");
  }
  Proc proc() const { return Proc(root_); }
  fs::path root_;
};

TEST_F(FakeRoot, ReadsNamesWithBlanksAndParentheses) {
  put_process(10, 1, "a) (b c");
  const ProcessSample process = proc().process(10);
  EXPECT_EQ(process.name, "a) (b c");
  EXPECT_EQ(process.parent, 1);
  EXPECT_EQ(process.major_faults, 7);
  ASSERT_EQ(process.threads.size(), 1u);
  EXPECT_DOUBLE_EQ(process.threads[0].cpu_seconds, 300.0 / double(sysconf(_SC_CLK_TCK)));
  EXPECT_EQ(process.read_bytes, std::nullopt);
}

TEST_F(FakeRoot, NamesAndCommandsAreUtf8) {
  put_process(10, 1, "caf\xc3");  // the kernel cut it
  EXPECT_EQ(proc().name(10), "caf\xef\xbf\xbd");
  put("proc/10/cmdline", std::string(299, 'x') + "\xc3\xa9.py");
  EXPECT_EQ(proc().command(10), std::string(299, 'x') + "\xef\xbf\xbd");
  put("proc/10/cmdline", std::string("python\0-c\0a\nb\x1b[2J\0", 18));
  EXPECT_EQ(proc().command(10), "python -c a b [2J");
}

TEST_F(FakeRoot, TheSchedulersTimesAreFiner) {
  put_process(10, 1, "a");
  put("proc/10/task/10/schedstat", "1500000000 250000000 9\n");
  const ThreadSample thread = proc().process(10).threads.at(0);
  EXPECT_DOUBLE_EQ(thread.cpu_seconds, 1.5);
  EXPECT_DOUBLE_EQ(thread.wait_seconds, 0.25);
}

TEST_F(FakeRoot, ATreeIsTheProcessAndAllBelowIt) {
  put_process(10, 1, "root");
  put_process(20, 10, "child");
  put_process(30, 20, "grandchild");
  put_process(40, 1, "stranger");
  EXPECT_EQ(proc().tree(10), (std::vector<int64_t>{10, 20, 30}));
}

TEST_F(FakeRoot, ZombiesAndAbsentOnesAreNotThere) {
  put_process(10, 1, "gone", "Z");
  EXPECT_FALSE(proc().has(10));
  EXPECT_FALSE(proc().has(11));
  EXPECT_TRUE(proc().process(10).threads.empty());
  EXPECT_TRUE(Sampler(10, root_).take({}).processes.empty());
}

TEST_F(FakeRoot, WhoseItIsAndItsNumberInTheContainer) {
  put_process(10, 1, "a");
  EXPECT_EQ(proc().user(10), 42);
  EXPECT_EQ(proc().pid_inside(10), 7);
  EXPECT_FALSE(proc().readable(10));  // it has no fd folder here
}

TEST_F(FakeRoot, OpenGpuFilesOfProcessesThatCompute) {
  put_process(10, 1, "trains");
  put_process(20, 1, "asks");
  const auto open = [&](int pid, const std::string& fd, const std::string& file) {
    const fs::path folder = root_ / "proc" / std::to_string(pid) / "fd";
    fs::create_directories(folder);
    fs::create_symlink(file, folder / fd);
  };
  open(10, "3", "/dev/nvidia1"), open(10, "4", "/dev/nvidia-uvm"), open(10, "5", "/dev/nvidiactl");
  open(20, "3", "/dev/nvidia1"), open(20, "4", "/dev/nvidiactl");
  EXPECT_EQ(proc().gpu_files(10), std::vector<int64_t>{1});
  EXPECT_TRUE(proc().gpu_files(20).empty());
  put_process(11, 10, "worker");
  open(11, "3", "/dev/nvidia1"), open(11, "4", "/dev/nvidia-uvm");
  ASSERT_EQ(proc().gpu_users({}).size(), 1u);
  EXPECT_EQ(proc().gpu_users({})[0].pid, 10);
  EXPECT_EQ(proc().gpu_users({})[0].gpu_files, std::vector<int64_t>{1});
  EXPECT_TRUE(proc().gpu_users({10, 11}).empty());
}

TEST_F(FakeRoot, CoresAreTheAffinityOrTheTightestQuota) {
  put_process(10, 1, "a");
  put("proc/stat", "cpu  1 1 1 900 100\ncpu0 1\ncpu1 1\n");
  EXPECT_EQ(host_of(10, root_).cores, 5);
  EXPECT_EQ(host_of(10, root_).machine_cores, 2);
  EXPECT_DOUBLE_EQ(host_of(10, root_).idle_seconds, 1000.0 / double(sysconf(_SC_CLK_TCK)));
  put("proc/10/cgroup", "0::/job/step\n");
  put("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  put("sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/job/cpu.stat", "nr_periods 3\nthrottled_usec 2500000\n");
  put("sys/fs/cgroup/job/step/memory.max", "1000\n");
  put("sys/fs/cgroup/job/step/memory.current", "600\n");
  const HostSample host = host_of(10, root_);
  EXPECT_EQ(host.cores, 1.5);
  EXPECT_EQ(host.throttled_seconds, 2.5);
  EXPECT_EQ(host.memory_limit, 1000);
  EXPECT_EQ(host.memory_used, 600);
  put("sys/fs/cgroup/job/step/memory.stat", "anon 200\ninactive_file 250\nactive_file 100\n");
  EXPECT_EQ(host_of(10, root_).memory_used, 250);  // what files take is given back
}

TEST_F(FakeRoot, ControlGroupsOfVersionOne) {
  put("proc/10/cgroup", "4:memory:/elsewhere\n3:cpu,cpuacct:/box\n");
  put("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "200000\n");
  put("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu/box/cpu.stat",
      "nr_periods 40\nnr_throttled 30\nthrottled_time 3000000000\n");
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const Cgroup group = cgroup_of(10, root_);
  EXPECT_EQ(group.cores, 2);
  EXPECT_EQ(group.throttled_seconds, 3);
  EXPECT_EQ(group.periods, 40);
  EXPECT_EQ(group.throttled_periods, 30);
  EXPECT_EQ(group.memory_limit, std::nullopt);
  put("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n");
  EXPECT_EQ(cgroup_of(10, root_).memory_limit, 5000);
}

TEST(Proc, SeesThisProcessAndItsThreads) {
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) continue;
  });
  const ProcessSample process = Proc().process(getpid());
  stop = true;
  other.join();
  EXPECT_GE(process.threads.size(), 2u);
  EXPECT_GT(process.resident_bytes, 1e6);
  EXPECT_EQ(Proc().tree(getpid()).at(0), getpid());
  EXPECT_GE(host_of(getpid(), "").cores, 1);
}

}  // namespace
}  // namespace stoker::observe
