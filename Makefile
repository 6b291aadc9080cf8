# The front door. Each target does its own set-up; the work is in CMake and tools/.
DEMO := examples/recipes/fashion_mnist.toml
BENCH := bench/bench.py
# Suites that start threads: these run under ThreadSanitizer too.
THREAD_TESTS := *Thread*:*Pool*:*Ring*:*Concurrent*:*Parallel*:*Feeder*
JOBS := $(shell nproc)
CUDA := $(shell tools/find_cuda.sh)
# Only the fuzzers are built with this compiler; where it cannot be had, make test goes on without them.
FUZZ_PACKAGES := clang-16 libclang-rt-16-dev
FUZZ_SECONDS := 60
FUZZER = $(shell tools/find_fuzzer.sh)
CLANG_FORMAT := $(firstword $(shell command -v clang-format-14 clang-format))
SOURCES = $(shell find include src backends cli examples bench tests fuzz \
            \( -name '*.h' -o -name '*.cpp' \) 2>/dev/null)

help:
	@echo 'make demo    train a small network on Fashion-MNIST'
	@echo 'make test    check and test everything: release, ASan+UBSan, TSan, CUDA, fuzzing'
	@echo 'make bench   measure against other frameworks'
	@echo 'make bench-cuda  the same on a GPU'
	@echo 'make cuda    build with the CUDA backend, in build/cuda'
	@echo 'make fuzz    a minute of fuzzing for each file format'
	@echo 'make format  format all sources'
	@echo 'make clean   remove build/'

demo: setup build/build.ninja
	@cmake --build build -j$(JOBS) --target stoker
	build/stoker train $(DEMO)

test: setup fuzz-setup check build/build.ninja build/asan/build.ninja build/tsan/build.ninja \
      $(if $(CUDA),build/cuda/build.ninja)
	@echo '== build: release'
	@cmake --build build -j$(JOBS)
	@echo '== build: ASan + UBSan'
	@cmake --build build/asan -j$(JOBS) --target tests
	@echo '== build: TSan'
	@cmake --build build/tsan -j$(JOBS) --target tests
	@echo '== build: $(if $(CUDA),CUDA,no CUDA toolkit or no cuDNN headers here: the CUDA backend is left out)'
	@$(if $(CUDA),cmake --build build/cuda -j$(JOBS) --target cuda_tests)
	@$(if $(FUZZER),$(MAKE) --no-print-directory fuzzers,echo '== build: no fuzzers, they need: $(FUZZ_PACKAGES)')
	@python3 tools/run_tests.py --jobs $(JOBS) build build/asan 'build/tsan=$(THREAD_TESTS)' \
	  $(if $(CUDA),--cuda build/cuda) $(if $(FUZZER),--fuzz build/fuzz --fuzz-seconds $(FUZZ_SECONDS))

bench: setup build/build.ninja
	@cmake --build build -j$(JOBS)
	python3 $(BENCH)

bench-cuda: cuda
	python3 bench/bench_cuda.py

cuda: setup
	@cmake --preset cuda
	@cmake --build build/cuda -j$(JOBS)

fuzz: fuzz-setup fuzzers
	@echo '== fuzzing: $(FUZZ_SECONDS) s each'
	@python3 tools/run_fuzzers.py --jobs $(JOBS) --seconds $(FUZZ_SECONDS) build/fuzz

fuzzers: build/fuzz/build.ninja
	@echo '== build: fuzzers'
	@cmake --build build/fuzz -j$(JOBS) --target fuzzers

format:
	@$(CLANG_FORMAT) -i $(SOURCES)

clean:
	rm -rf build

setup:
	@tools/setup.sh

fuzz-setup: setup
	@[ -n "$(FUZZER)" ] || tools/setup.sh $(FUZZ_PACKAGES) || true

check: setup
	@echo '== include rules'
	@python3 tools/check_includes.py
	@echo '== format'
	@tools/check_format.sh '$(CLANG_FORMAT)' $(SOURCES)

build/build.ninja: CMakePresets.json | setup
	@cmake --preset release
	@touch $@

build/%/build.ninja: CMakePresets.json | setup
	@cmake --preset $*
	@touch $@

.PHONY: help demo test bench bench-cuda cuda fuzz fuzzers format clean setup fuzz-setup check
.NOTPARALLEL:
