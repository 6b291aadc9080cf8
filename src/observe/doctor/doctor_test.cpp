#include "stoker/doctor.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/fake_nvidia.h"

namespace stoker {
namespace {

namespace fs = std::filesystem;
using State = Finding::State;

const std::vector<std::string> all_libraries = {
    "libnvidia-ml.so.1", "libcuda.so.1",  "libcudart.so.13", "libnvrtc.so.13",
    "libcublasLt.so.13", "libcudnn.so.9", "libnccl.so.2"};

// A healthy machine with one GPU; each test breaks one thing.
class Doctor : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    put("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Kernel Module  580.65.06  Wed\n");
    put("proc/stat", "cpu  1 1 1 1 1\ncpu0 1\ncpu1 1\n");
    put("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 500 kB\n");
    put("proc/" + std::to_string(getpid()) + "/status", "Cpus_allowed_list:\t0-1\n");
    for (const char* file : {"dev/nvidiactl", "dev/nvidia-uvm", "dev/nvidia0"}) {
      put(file, "");
      chmod((root_ / file).c_str(), 0666);
    }
    args_ = {.measure = false, .frameworks = false, .root = root_, .user = 12345};
  }
  void TearDown() override { fs::remove_all(root_); }
  void put(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void remove(const std::string& path) { fs::remove_all(root_ / path); }

  Finding find(const std::string& name) {
    for (const Finding& finding : doctor(args_))
      if (finding.name == name) return finding;
    return {.name = name, .text = "no such line"};
  }
  void expect(const std::string& name, State state, const std::string& says,
              const std::string& mend) {
    const Finding found = find(name);
    EXPECT_EQ(name_of(found.state), std::string(name_of(state))) << name << ": " << found.text;
    EXPECT_NE(found.text.find(says), std::string::npos) << found.text;
    EXPECT_NE(found.mend.find(mend), std::string::npos) << found.mend;
  }

  fs::path root_ = fs::temp_directory_path() / ("stoker_doctor_" + std::to_string(getpid()));
  VariableScope visible_{"CUDA_VISIBLE_DEVICES", nullptr};
  VariableScope kubernetes_{"KUBERNETES_SERVICE_HOST", nullptr};
  FakeNvidia fake_{all_libraries};
  DoctorArgs args_;
};

TEST_F(Doctor, FindsNothingWrongWithASoundMachine) {
  const auto findings = doctor(args_);
  for (const Finding& finding : findings)
    EXPECT_TRUE(finding.state == State::ok || finding.name == "shared memory") << finding.text;
  EXPECT_GE(findings.size(), 12u);
  expect("cuDNN", State::ok, "9.13.0 for CUDA 13.0", "");
  EXPECT_NE(to_string(findings).find("0 wrong"), std::string::npos) << to_string(findings);
}

TEST_F(Doctor, NoGpu) {
  for (const char* file : {"dev", "proc/driver"}) remove(file);
  fake_.set("gpus", 0);
  expect("GPU", State::warning, "no NVIDIA GPU in this machine", "");
  put(".dockerenv", "");
  expect("GPU", State::warning, "this container was given no", "docker run --gpus all");
}

TEST_F(Doctor, TheModuleIsNotLoaded) {
  remove("proc/driver"), remove("dev");
  fake_.set("fails_nvmlInit_v2", 9);
  put("sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n");
  put("sys/bus/pci/devices/0000:01:00.0/class", "0x030200\n");
  expect("driver", State::wrong, "kernel module is not loaded", "modprobe nvidia");
}

TEST_F(Doctor, TheDriverWasUpdatedWhileInUse) {
  fake_.set("fails_nvmlInit_v2", 18);
  expect("driver", State::wrong, "of another version than the loaded kernel module 580.65.06",
         "sudo reboot");
}

TEST_F(Doctor, NvmlFails) {
  fake_.set("fails_nvmlInit_v2", 999);
  expect("driver", State::wrong, "NVML does not start", "apt-get install");
  put(".dockerenv", "");
  expect("driver", State::wrong, "NVML does not start", "NVIDIA_DRIVER_CAPABILITIES");
}

TEST_F(Doctor, DeviceFiles) {
  chmod((root_ / "dev/nvidia0").c_str(), 0660);
  expect("permissions", State::wrong, "may not open /dev/nvidia0", "chmod 666 /dev/nvidia0");
  remove("dev/nvidia-uvm");
  expect("permissions", State::wrong, "/dev/nvidia-uvm is missing", "nvidia-modprobe");
}

TEST_F(Doctor, VisibleDevices) {
  for (const auto& [value, says] : {std::pair("", "hides every GPU"),
                                    {"-1", "\"-1\" is none of the 1 GPUs"},
                                    {"3", "\"3\" is none"},
                                    {"99999999999999999999999", "999\" is none"},
                                    {"0,0", "names 0 twice"}}) {
    const VariableScope scope("CUDA_VISIBLE_DEVICES", value);
    expect("visible devices", State::wrong, says, "unset CUDA_VISIBLE_DEVICES");
  }
  for (const char* value : {"0", " 0"}) {
    const VariableScope scope("CUDA_VISIBLE_DEVICES", value);
    expect("visible devices", State::ok, "1 of 1", "");
  }
}

TEST_F(Doctor, CudaDoesNotStart) {
  fake_.set("fails_cuInit", 802);
  expect("CUDA driver", State::wrong, "an error of the fake driver (error 802)", "fabricmanager");
  fake_.set("fails_cuInit", 999);
  expect("CUDA driver", State::wrong, "error 999", "nvidia_uvm");
}

TEST_F(Doctor, LibrariesForANewerCudaThanTheDrivers) {
  fake_.set("cuda", 12040);
  for (const char* name : {"CUDA runtime", "NVRTC", "cuBLAS", "cuDNN"})
    expect(name, State::wrong, "the driver supports CUDA 12.4 only", "-cu12");
  fake_.set("runtime", 12060);  // another minor version fits
  expect("CUDA runtime", State::ok, "12.6", "");
}

TEST_F(Doctor, UsersOfTheGpu) {
  fake_.set("process", 4711);
  put("proc/4711/stat", "4711 (python) S 1\n");
  expect("GPU 0 users", State::warning, "process 4711 (python) holds 1.86 GB", "kill 4711");
  fake_.set("process", 0), fake_.set("memory_used", 70'000'000'000);
  expect("GPU 0 users", State::warning, "not visible here", "nvidia-smi");
}

TEST_F(Doctor, Clocks) {
  fake_.set("slowdowns", 0x20);
  expect("GPU 0 clock", State::wrong, "slowed down by heat", "TEMPERATURE");
  fake_.set("slowdowns", 0x80);
  expect("GPU 0 clock", State::wrong, "power supply", "POWER");
  fake_.set("slowdowns", 0x4);
  expect("GPU 0 clock", State::warning, "power limit", "-pl");
  fake_.set("slowdowns", 0);
  expect("GPU 0 clock", State::ok, "1980 of 1980 MHz, 100 of 700 W, 40 °C", "");
  fake_.set("fails_nvmlDeviceGetPowerUsage", 3);  // not supported
  expect("GPU 0 clock", State::ok, "1980 of 1980 MHz, 40 °C", "");
}

TEST_F(Doctor, Modes) {
  fake_.set("compute_mode", 2);
  expect("GPU 0 mode", State::wrong, "lets no program compute", "-c DEFAULT");
  fake_.set("compute_mode", 3);
  expect("GPU 0 mode", State::warning, "one process", "-c DEFAULT");
  fake_.set("persistence_mode", 0);
  expect("GPU 0 persistence", State::warning, "is off", "-pm 1");
}

TEST_F(Doctor, ANarrowLink) {
  fake_.set("pcie_width", 4);
  expect("GPU 0 PCIe", State::warning, "4 of 16 lanes are connected: copies take 4 times", "lspci");
}

TEST_F(Doctor, Copies) {
  args_.measure = true;
  EXPECT_NE(find("copies").text.find("GB/s from pinned memory"), std::string::npos);
  fake_.set("fails_cuMemAlloc_v2", 2);
  expect("copies", State::wrong, "refuses memory", "stoker top");
}

TEST_F(Doctor, Governor) {
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "acpi-cpufreq\n");
  expect("CPU governor", State::warning, "powersave", "cpupower");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "intel_pstate\n");
  expect("CPU governor", State::ok, "powersave", "");
}

TEST_F(Doctor, LimitsOfAContainer) {
  put("proc/" + std::to_string(getpid()) + "/cgroup", "0::/\n");
  put("sys/fs/cgroup/cpu.max", "50000 100000\n");
  put("sys/fs/cgroup/memory.max", "1000\n");
  put("sys/fs/cgroup/memory.current", "990\n");
  expect("cores", State::warning, "0.5 of 2 cores may be used, by the cgroup's quota", "--cpus");
  expect("memory", State::warning, "the cgroup's limit", "--memory");
}

TEST_F(Doctor, NoSharedMemory) {
  expect("shared memory", State::warning, "/dev/shm is missing", "mount");
}

TEST_F(Doctor, ADiskThatCannotBeWritten) {
  args_.measure = true;
  EXPECT_NE(find("disk").text.find("is read at"), std::string::npos);
  args_.root = root_ / "absent";
  expect("disk", State::warning, "can be written", "df -h");
}

// A Python with one framework and given answers.
class DoctorFrameworks : public Doctor {
 protected:
  void give_python(const std::string& module, const std::string& answer) {
    const std::string script = fs::path(root_ / "python");
    std::ofstream(script) << "#!/bin/sh\ncase \"$2\" in\n*sys.version*) echo STOKER 3.11;;\n"
                          << "*\"find_spec('" << module
                          << "')\"*) exit 0;;\n*find_spec\\(\\'*) exit "
                          << "3;;\n*) echo 'noise'; " << answer << ";;\nesac\n";
    chmod(script.c_str(), 0755);
    args_.python = script, args_.frameworks = true;
  }
};

TEST_F(DoctorFrameworks, SeesTheGpu) {
  give_python("torch", R"(echo 'STOKER {"version": "2.9", "cuda": "13.0", "sees": 1, "why": ""}')");
  expect("PyTorch", State::ok, "2.9, sees 1 GPU(s)", "");
  EXPECT_EQ(find("JAX").text, "no such line");
}

TEST_F(DoctorFrameworks, BuiltForTheCpu) {
  give_python("torch", R"(echo 'STOKER {"version": "2.9+cpu", "cuda": null, "sees": 0}')");
  expect("PyTorch", State::wrong, "2.9+cpu is built for the CPU only", "whl/cu130");
  give_python("jax", R"(echo 'STOKER {"version": "0.8", "cuda": null, "sees": 0}')");
  fake_.set("cuda", 12080);
  expect("JAX", State::wrong, "CPU only", "'jax[cuda12]'");
  give_python("tensorflow", R"(echo 'STOKER {"version": "2.21", "cuda": null, "sees": 0}')");
  expect("TensorFlow", State::wrong, "CPU only", "'tensorflow[and-cuda]'");
}

TEST_F(DoctorFrameworks, TheReasonThatItGives) {
  give_python("torch",
              R"(echo 'STOKER {"version": "2.9", "cuda": "13.0", "sees": 0, "why": "too old"}')");
  expect("PyTorch", State::wrong, "2.9 for CUDA 13.0 sees no GPU: too old", "pip install");
  fake_.set("fails_cuInit", 999);
  expect("PyTorch", State::wrong, "as CUDA does not start", "stoker doctor");
}

TEST_F(DoctorFrameworks, CannotBeImported) {
  give_python("torch", "exit 1");
  expect("PyTorch", State::wrong, "cannot be imported", "-c 'import torch'");
}

TEST_F(DoctorFrameworks, NoPython) {
  args_.frameworks = true, args_.python = "/no/such/python";
  expect("Python", State::wrong, "does not run", "--python");
}

}  // namespace
}  // namespace stoker
