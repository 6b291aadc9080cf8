#pragma once
#include <cmath>

#include "stoker/run_record.h"

namespace stoker::report {

// A record with a value in every field.
inline RunRecord some_record() {
  RunRecord run;
  run.name = "digits";
  run.started = "2026-11-18 08:43:37 UTC";
  run.state = "finished";
  run.account = {.run = "fit",
                 .device = "/gpu:0",
                 .device_name = "NVIDIA H200",
                 .wall = 10,
                 .busy = 4,
                 .steps = 100,
                 .samples = 3200,
                 .batch_size = 32,
                 .samples_per_second = 400,
                 .parts = {{"input", 5}, {"working", 4}, {"unexplained", 1, false}},
                 .verdict = "The GPU waits for input half of the time.",
                 .advice = {{.cause = "input",
                             .sentence = "map feeds 400/s.",
                             .remedy = "more threads",
                             .place = "train.cpp:41",
                             .step_now = 0.08,
                             .step_then = 0.04,
                             .step_low = 0.03,
                             .step_high = 0.05,
                             .evidence = {{"threads", "2"}},
                             .apply = "data.parallel=9"}},
                 .work = {.flops = 2e9,
                          .bytes = 3e7,
                          .peak_flops = 1e13,
                          .peak_bandwidth = 2e12,
                          .limit = 0.01,
                          .op = "model/dense/matmul",
                          .cores = 16,
                          .cores_used = 1.5},
                 .largest_batch = 212};
  run.account_line = "10.00 s = …";
  run.curves = {{"loss", {1, 2, 3}, {2.5, NAN, 0.5}}, {"val_loss", {2}, {0.75}}};
  run.profile = {{10, 20}, 11, 0.1, 0.05, "a note", {{"float32 matmul", 1e12, "FLOP/s"}}};
  run.layers = {{{"model/dense", 2, 1e6, 4e5, 0.03, 0.01, "compute"},
                 {{"matmul", 2, 1e6, 4e5, 0.03, 0.01, "compute"}}}};
  run.timeline = {
      12, 1, {{"host", "input", 0, 0.05}, {"device", "model/dense/matmul", 0.05, 0.08}}, 3};
  run.memory = {{"model/dense/matmul", "adam"},
                {{"parameters", {100, 100}}, {"activations", {50, 0}}},
                150,
                1000};
  run.input.stages = {
      {"map", "train.cpp:41", 3200, 1e-3, 0.5, 64, true, "parallel calls", 2, true}};
  run.input.decisions = {{0.8, "map", "parallel calls", 1, 2, "it is the slowest"}};
  run.input.notes = {"a note"};
  run.input.taken = 100;
  run.input.verdict = "map is the limit";
  run.model = {{"dense", "Dense", 1290}};
  run.settings = {{"fit.batch_size", "32"}};
  run.environment = {{"device name", "NVIDIA H200"}};
  return run;
}

}  // namespace stoker::report
