# The entry point. Each target does its own set-up; the work is done by CMake and tools/.
DEMO := examples/recipes/fashion_mnist.toml
BENCH := bench/bench.py
JOBS := $(shell nproc)
CUDA := $(shell tools/find_cuda.sh)
GPU := $(wildcard /dev/nvidiactl /dev/dxg)
# clang builds ASan's tests, and the fuzzers from the same objects; if it cannot be installed, g++ builds the tests, without fuzzers.
FUZZ_PACKAGES := clang-16 libclang-rt-16-dev
# MPI, by which several processes find each other; if it cannot be installed, its tests are skipped with a message.
MPI_PACKAGES := openmpi-bin libopenmpi-dev
FUZZ_SECONDS := 60
TEST_FUZZ_SECONDS := 12
FUZZER = $(shell tools/find_fuzzer.sh)
BROWSER := $(firstword $(shell command -v chromium chromium-browser google-chrome))
CLANG_FORMAT := $(firstword $(shell command -v clang-format-14 clang-format))
# What git tracks: a user's own file in examples/ is not checked. Without git: everything.
FOLDERS := include src backends cli inject examples bench tests fuzz
SOURCES = $(wildcard $(shell git ls-files $(FOLDERS:%='%/*.h') $(FOLDERS:%='%/*.cpp') $(FOLDERS:%='%/*.cuh') 2>/dev/null || \
            find $(FOLDERS) -name '*.h' -o -name '*.cpp' -o -name '*.cuh'))

help:
	@echo 'make demo    train a small network on Fashion-MNIST'
	@echo 'make check   a day'\''s loop: format, include rules, release build and its tests'
	@echo 'make test    check and test everything: release, ASan+UBSan, TSan, CUDA, fuzzing'
	@echo 'make bench   measure against other frameworks'
	@echo 'make bench-cuda  the same on a GPU'
	@echo 'make faults  plant faults and compare the gain that the account predicts with the measured one'
	@echo 'make bench-input  input pipelines against other frameworks'
	@echo 'make cuda    build everything with the CUDA backend'
	@echo 'make fuzz    a minute of fuzzing for each file format'
	@echo 'make alone   compile every file by itself, to find what it forgot to include'
	@echo 'make format  format all sources'
	@echo 'make clean   remove build/'

demo: configure
	@cmake --build build -j$(JOBS) --target stoker $(if $(and $(CUDA),$(GPU)),stoker_cuda)
	build/stoker train $(DEMO)

check: rules configure
	@cmake --build build -j$(JOBS)
	@python3 tools/run_tests.py --jobs $(JOBS) build

test: fuzz-setup browser-setup mpi-setup rules configure configure-asan configure-tsan
	@echo '== build: release$(if $(CUDA), and CUDA,; no CUDA toolkit or no cuDNN headers here: the CUDA backend is left out)'
	@cmake --build build -j$(JOBS)
	@echo '== build: ASan + UBSan$(if $(FUZZER), and the fuzzer,; no fuzzer: it needs $(FUZZ_PACKAGES))'
	@cmake --build build/asan -j$(JOBS) --target tests $(if $(FUZZER),fuzzer)
	@python3 tools/run_tests.py --jobs $(JOBS) build build/asan --tsan build/tsan \
	  $(if $(CUDA),--cuda) $(if $(FUZZER),--fuzz build/asan --fuzz-seconds $(TEST_FUZZ_SECONDS))

bench: configure
	@cmake --build build -j$(JOBS)
	python3 $(BENCH)

bench-cuda: cuda
	python3 bench/bench_cuda.py

faults: configure
	@cmake --build build -j$(JOBS) --target stoker_faults
	build/faults/faults --repeat 3 --json build/faults.json

bench-input: configure
	@cmake --build build -j$(JOBS) --target bench_input
	python3 bench/bench_input.py

cuda: setup
	@cmake --preset release -DSTOKER_CUDA=ON
	@cmake --build build -j$(JOBS)

fuzz: fuzz-setup configure-asan
	@cmake --build build/asan -j$(JOBS) --target fuzzer
	@echo '== fuzzing: $(FUZZ_SECONDS) s each'
	@python3 tools/run_fuzzers.py --jobs $(JOBS) --seconds $(FUZZ_SECONDS) build/asan

alone: setup
	@python3 tools/compile_alone.py --jobs $(JOBS) build/alone

format:
	@$(CLANG_FORMAT) -i $(SOURCES)

clean:
	rm -rf build

setup:
	@tools/setup.sh

fuzz-setup: setup
	@[ -n "$(FUZZER)" ] || tools/setup.sh $(FUZZ_PACKAGES) || true

# The report page is tested in it.
browser-setup: setup
	@[ -n "$(BROWSER)" ] || tools/setup.sh chromium fonts-dejavu-core || true

mpi-setup: setup
	@command -v mpirun >/dev/null || { tools/setup.sh $(MPI_PACKAGES) && rm -f build/build.ninja; } || true

rules: setup
	@echo '== include rules, sizes of folders'
	@python3 tools/check_includes.py
	@python3 tools/check_folders.py
	@echo '== format'
	@tools/check_format.sh '$(CLANG_FORMAT)' $(SOURCES)

# Configures again if the toolkit or the compiler was installed or removed since.
configure: setup
	@tools/configure.sh build release STOKER_CUDA=$(if $(CUDA),ON,OFF)

configure-asan: setup
	@tools/configure.sh build/asan $(if $(FUZZER),fuzz STOKER_FUZZ=ON,asan STOKER_FUZZ=OFF)

configure-tsan: setup
	@tools/configure.sh build/tsan tsan STOKER_CUDA=$(if $(CUDA),ON,OFF)

.PHONY: help demo check test bench bench-cuda bench-input faults cuda fuzz alone format clean setup fuzz-setup browser-setup mpi-setup rules configure configure-asan configure-tsan
.NOTPARALLEL:
