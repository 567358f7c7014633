# The commands of users and contributors. The build itself is CMake: see CMakePresets.json.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell tools/jobs.sh)
RUN_FILE ?= examples/lenet5-fashion-mini.yaml
RUN_ARGS ?=
export RUN_FILE
PREFIX ?= /usr/local
DESTDIR ?=
export PREFIX DESTDIR
FUZZ_SECONDS ?= 120
FUZZ_TARGETS ?=
SIMULATION_SEEDS ?= 100000
PLANTS ?= 100000
PLANTS_SEED ?= 1
TIDY_BASE ?=
TIDY_SECONDS ?=
BENCH_ARGS ?=
ONNX_ARGS ?=
CLUSTER_ARGS ?= all
REGISTRY ?=
IMAGES_ARGS ?=

# CMake lists the variables of a preset each time: only warnings and errors, on standard error, are shown.
CONFIGURE := >/dev/null cmake --log-level=WARNING --preset
BUILD := cmake --build -j $(JOBS) --preset
# Tests of processes wait much: three tests more than cores.
TEST := ctest -j $$(($(JOBS) + 3)) --no-tests=error --preset
PROGRAMS := sumac sumac-worker sumac-server sumac_kernels sumac_library
CLUSTER_PROGRAMS := $(PROGRAMS) sumac-operator

.PHONY: help setup setup-run setup-package build build-all install package wheel run run-file test goldens test-cluster test-images test-page test-onnx test-torch test-mlflow test-tensorboard test-claims images images-push simulation plants tidy asan asan-core tsan clang fuzz fuzz-merge debug ci-full bench bench-data bench-torch bench-operator bench-pods bench-sizing bench-members format

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 24

setup: ## Install the Debian packages that building and testing need
	@tools/setup.sh dev

setup-run:
	@tools/setup.sh run

setup-package:
	@tools/setup.sh package

build: setup-run ## Build the programs into build/release/bin
	@$(CONFIGURE) release
	@$(BUILD) release --target $(PROGRAMS)

run: run-file build ## Train the example on this machine; RUN_FILE=job.yaml, RUN_ARGS="--workers 3"
	@build/release/bin/sumac run $${RUN_FILE:+"$$RUN_FILE"} $(RUN_ARGS)

install: build-all ## Install the programs; PREFIX=/usr/local DESTDIR=FOLDER
	@cmake --install build/release --prefix "$$PREFIX"

package: build-all ## Make a .deb and a .tar.gz that runs from any folder, into build/release/packages
	@tools/setup.sh package
	@cpack --config build/release/CPackConfig.cmake
	@rm -r build/release/packages/_CPack_Packages

wheel: setup-package ## Make the wheel of the Python package, into build/release/packages
	@$(CONFIGURE) release
	@$(BUILD) release --target sumac_library sumac_kernels
	@tools/wheel.sh build/release/lib/sumac build/release/packages

# Before minutes of building. Empty: RUN_ARGS has --resume.
run-file:
	@[[ -z $$RUN_FILE || $$RUN_FILE = - || -r $$RUN_FILE ]] || \
		{ echo "cannot read RUN_FILE=$$RUN_FILE" >&2; exit 2; }

test: setup ## Build everything and run all tests and checks
	@$(CONFIGURE) dev
	@$(BUILD) dev
	@$(TEST) dev

goldens: setup ## Rewrite the golden files (tests/golden/output) from what is printed now; read the difference
	@$(CONFIGURE) dev
	@$(BUILD) dev
	@SUMAC_UPDATE_GOLDENS=1 $(TEST) dev -L 'unit|golden'
	@git status --short tests/golden/output

test-cluster: setup ## Run the tests on a real Kubernetes on this machine (needs Go); CLUSTER_ARGS="NAME"
	@$(CONFIGURE) dev
	@$(BUILD) dev --target $(CLUSTER_PROGRAMS)
	@tests/kube/run.sh --bin build/dev/bin $(CLUSTER_ARGS)
	@[ "$(CLUSTER_ARGS)" != all ] || tests/kube/run.sh --bin build/dev/bin nodes || [ $$? = 77 ]

test-images: setup ## Test the container images and the chart, as root; needs buildah and Go
	@$(CONFIGURE) dev
	@$(BUILD) dev --target $(CLUSTER_PROGRAMS)
	@$(TEST) cluster-core -L 'images|chart'
	@tests/chart/run.sh --helm3

test-page: ## Test the pages in a headless Chromium, which is installed
	@tools/setup.sh page
	@$(CONFIGURE) dev
	@$(BUILD) dev --target sumac_sample_pages
	@tests/page/page_test.py build/dev/bin

test-onnx: setup ## Compare exported models in ONNX Runtime, which it installs, with ours; ONNX_ARGS="lenet5 text"
	@$(CONFIGURE) dev
	@$(BUILD) dev --target sumac sumac_kernels sumac_onnx_case
	@tests/onnx/run.sh build/dev/bin $(ONNX_ARGS)

test-torch: setup ## Compare the bits of PyTorch programs in many ways; installs PyTorch (5 GB); TORCH_ARGS="TorchTest.test_NAME"
	@$(CONFIGURE) dev
	@$(BUILD) dev --target sumac-server sumac_library sumac_kernels
	@tests/torch/run.sh build/dev/bin build/dev/lib/sumac/libsumac.so.1 $(TORCH_ARGS)

test-tensorboard: setup ## Read the events of runs with TensorBoard, which it installs
	@$(CONFIGURE) dev
	@$(BUILD) dev --target sumac sumac-server sumac-worker sumac_kernels
	@tests/tensorboard/run.sh build/dev/bin

test-mlflow: setup ## Write runs into MLflow, which it installs
	@$(CONFIGURE) dev
	@$(BUILD) dev --target sumac_library sumac_kernels
	@tests/mlflow/run.sh build/dev/lib/sumac/libsumac.so.1

test-claims: setup ## Measure what papers claim of many workers and predictions, as root, one test after the other
	@$(CONFIGURE) dev
	@$(BUILD) dev --target sumac sumac-server sumac-worker
	@ctest --no-tests=error --preset claims

images: build-all setup-package ## Make the container images, into build/images; IMAGES_ARGS="--registry NAME worker"
	@docker/images.sh $(if $(REGISTRY),--registry $(REGISTRY)) $(IMAGES_ARGS)

images-push: ## Make the container images and push them: REGISTRY=registry.example/sumac
	@$(if $(REGISTRY),,echo "make images-push: which registry? Set REGISTRY=registry.example/sumac" >&2; exit 2)
	@$(MAKE) build-all setup-package
	@docker/images.sh --push --registry $(REGISTRY) $(IMAGES_ARGS)

build-all: setup-run
	@$(CONFIGURE) release
	@$(BUILD) release --target $(CLUSTER_PROGRAMS)

tidy: setup ## Run clang-tidy on all sources; TIDY_BASE=main: only on what changed since main
	@$(CONFIGURE) tidy
	@tools/tidy.py --build build/tidy --jobs $(JOBS) $(if $(TIDY_BASE),--base $(TIDY_BASE)) \
		$(if $(TIDY_SECONDS),--seconds $(TIDY_SECONDS))

simulation: setup ## Run many simulated jobs with faults, on all cores; SIMULATION_SEEDS=100000
	@$(CONFIGURE) dev
	@$(BUILD) dev --target sumac_simulation_tests
	@tests/integration/simulation/run_seeds.py build/dev/bin/sumac_simulation_tests --seeds $(SIMULATION_SEEDS) --jobs $(JOBS)

plants: setup ## Draw many jobs that size themselves, a quarter of them for each goal; PLANTS=100000 PLANTS_SEED=1
	@$(CONFIGURE) dev
	@$(BUILD) dev --target sumac_planner_autoscaling_unit_tests
	@RC_PARAMS="seed=$(PLANTS_SEED) max_success=$$(($(PLANTS) / 4))" build/dev/bin/sumac_planner_autoscaling_unit_tests --run_test=plants

asan: setup ## Run all unit tests under the address and undefined behaviour sanitizers
	@$(CONFIGURE) asan
	@$(BUILD) asan
	@$(TEST) asan -L unit

asan-core: setup ## The same, for the libraries that read foreign bytes or run threads
	@$(CONFIGURE) asan
	@$(BUILD) asan --target sumac_sanitized_tests
	@$(TEST) asan -L sanitized

tsan: setup ## Run the unit tests under the thread sanitizer
	@$(CONFIGURE) tsan
	@$(BUILD) tsan
	@$(TEST) tsan -L unit

clang: setup ## Build with Clang (thread-safety analysis, each header alone); run the unit tests
	@$(CONFIGURE) clang
	@$(BUILD) clang
	@$(BUILD) clang --target all_verify_interface_header_sets
	@$(TEST) clang -L unit

fuzz: setup ## Feed libFuzzer's inputs to all readers of foreign bytes; FUZZ_SECONDS=60 FUZZ_TARGETS="yaml job"
	@$(CONFIGURE) fuzz
	@$(BUILD) fuzz --target sumac_fuzzers
	@tests/fuzz/fuzz.py run build/fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_TARGETS)

fuzz-merge: ## Add to tests/fuzz/corpus what `make fuzz` found and what reaches new code
	@tests/fuzz/fuzz.py merge build/fuzz $(FUZZ_TARGETS)

debug: setup ## Build everything for a debugger, into build/debug/bin
	@$(CONFIGURE) debug
	@$(BUILD) debug

ci-full: test simulation plants test-cluster test-images test-page test-onnx test-torch test-tensorboard test-mlflow test-claims tidy asan tsan clang fuzz ## Run every check

bench: setup ## Compare training speed with PyTorch and MXNet; BENCH_ARGS="--only lenet5-train"
	@bench/run.sh $(BENCH_ARGS)

bench-torch: setup ## Compare PyTorch programs on Sumac with DistributedDataParallel; installs PyTorch (5 GB); BENCH_ARGS="--only lstm"
	@bench/program/run.sh $(BENCH_ARGS)

bench-data: setup ## Compare loading pictures with Pillow; waits for data, memory of packed data; BENCH_ARGS="--only waits"
	@bench/data/run.sh $(BENCH_ARGS)

bench-operator: ## Compare the operator with training-operator; BENCH_ARGS="-only sumac"
	@bench/operator/run.sh $(BENCH_ARGS)

bench-pods: build-all ## Measure jobs in pods on a real node, as root; needs Go
	@tests/kube/run.sh --bin build/release/bin figures

bench-sizing: build-all ## Measure jobs that size themselves on a real node, as root; needs Go
	@tests/kube/run.sh --bin build/release/bin --node-after 180s all 'TestAJobThatSizesItselfGrowsWhenANodeAppears$$'
	@tests/kube/run.sh --bin build/release/bin sizing

bench-members: setup ## Measure what members cost that come, go and are killed; BENCH_ARGS="--only scale,kill"
	@cmake --log-level=WARNING --preset release
	@cmake --build --preset release -j "$$(tools/jobs.sh)" --target sumac sumac-worker sumac-server sumac_kernels
	@mkdir -p build/bench
	@python3 bench/harness/membership.py --bin build/release/bin --output build/bench/membership.json $(BENCH_ARGS)

format: ## Format all sources
	@tools/format.sh fix
