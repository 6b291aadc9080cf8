#pragma once
#include "stoker/optimizer.h"

namespace stoker::optimizers {

struct MuonArgs {
  LearningRate learning_rate = 0.001;
  double adam_beta_1 = 0.9, adam_beta_2 = 0.999;
  std::optional<double> adam_weight_decay = 0.004;
  double epsilon = 1e-7;
  std::vector<std::string> exclude_layers = {};  // regular expressions on variables' paths
  bool exclude_embeddings = true;
  double muon_a = 3.4445, muon_b = -4.775, muon_c = 2.0315;
  double adam_lr_ratio = 1, momentum = 0.95;
  int64_t ns_steps = 5;
  bool nesterov = true;
  std::optional<double> rms_rate = 0.2;
  std::optional<double> weight_decay = 0.004, clipnorm = {}, clipvalue = {}, global_clipnorm = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::string name = "muon";
};
// Matrices are updated by their orthogonalised momentum (Newton-Schulz); everything else,
// embeddings and excluded layers use AdamW.
std::shared_ptr<Optimizer> Muon(const MuonArgs& args = {});

}  // namespace stoker::optimizers
