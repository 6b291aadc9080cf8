#include <fmt/format.h>

#include <algorithm>

#include "distribution/collectives.h"
#include "nn/training/account/run_account.h"
#include "nn/training/inference_session.h"
#include "nn/training/inputs/limits.h"
#include "nn/training/test_loop.h"

namespace stoker {
namespace {

// Collects the batches' outputs into whole arrays: on a device with its own memory they are
// collected there and fetched at the end, so that no batch waits for the host. With an unknown
// number of samples they are fetched in pieces of many batches.
class Predictions {
 public:
  Predictions(const device::Device& device, int64_t samples) : device_(device), samples_(samples) {}

  void take(const exec::CompiledStep& step, int64_t rows) {
    pieces_.resize(step.num_outputs());
    for (size_t i = 0; i < step.num_outputs(); ++i) {
      auto& pieces = pieces_[i];
      check(step.output_type(i), rows, i);
      if (!pieces.empty()) check_same(step.output_type(i).shape, pieces.back().host.shape(), i);
      if (pieces.empty() || pieces.back().left() < rows)
        pieces.push_back(new_piece(step.output_type(i), rows));
      copy(step, i, pieces.back());
      pieces.back().rows += rows;
    }
  }

  std::vector<Array> finish() {
    std::vector<Array> results;
    for (auto& pieces : pieces_) results.push_back(joined(pieces));
    return results;
  }

 private:
  static constexpr int64_t batches_of_a_piece = 64;
  struct Piece {
    Array host;
    device::Buffer on_device;  // undefined: outputs are copied to the host immediately
    int64_t rows = 0;          // valid rows
    int64_t left() const { return host.length() - rows; }
  };

  static void check(const TensorType& type, int64_t rows, size_t output) {
    if (type.shape.rank() == 0 || type.shape[0] != rows)
      throw InvalidArgument(fmt::format("predict: output {} of shape {} has no row per sample.",
                                        output, to_string(type.shape)));
  }

  // Batches of different shapes may have outputs of different shapes.
  static void check_same(Shape shape, const Shape& before, size_t output) {
    shape[0] = before[0];
    if (shape == before) return;
    throw InvalidArgument(
        fmt::format(
            "predict: the samples' output {} is {} in one batch and {} in another; together "
            "they are no array.",
            output, to_string(before.drop_front()), to_string(shape.drop_front())),
        "pad all batches to one shape, or call predict_on_batch for each.");
  }

  Piece new_piece(const TensorType& type, int64_t rows) const {
    Shape shape = type.shape;
    shape[0] = samples_ > 0 ? samples_ : batches_of_a_piece * rows;
    Piece piece{Array(type.dtype, shape), {}};
    const uint64_t bytes = piece.host.bytes();
    if (!device_.is_host() && static_cast<int64_t>(bytes) < device_.free_memory().largest_piece / 4)
      piece.on_device = device::Buffer(device_, bytes, "predictions");
    return piece;
  }

  void copy(const exec::CompiledStep& step, size_t output, Piece& piece) const {
    const size_t at = static_cast<size_t>(piece.rows) * piece.host.row_bytes();
    const bool stays = piece.on_device.defined();
    std::byte* const base =
        stays ? static_cast<std::byte*>(piece.on_device.data()) : piece.host.mutable_raw();
    device::check(device_,
                  device_.table().copy(device_.index, base + at, step.output_data(output),
                                       static_cast<uint64_t>(step.output_type(output).bytes()),
                                       stays ? stoker_device_to_device : stoker_device_to_host),
                  "collecting predictions");
  }

  static Array joined(std::vector<Piece>& pieces) {
    int64_t rows = 0;
    for (Piece& piece : pieces) {
      piece.host = piece.host.rows(0, piece.rows);
      if (piece.on_device.defined())
        piece.on_device.download(piece.host.mutable_raw(), piece.host.bytes());
      rows += piece.rows;
    }
    if (pieces.size() == 1) return pieces[0].host;
    Shape shape = pieces[0].host.shape();
    shape[0] = rows;
    Array all(pieces[0].host.dtype(), shape);
    std::byte* to = all.mutable_raw();
    for (const Piece& piece : pieces) to = std::copy_n(piece.host.raw(), piece.host.bytes(), to);
    return all;
  }

  device::Device device_;
  int64_t samples_;                         // 0: unknown
  std::vector<std::vector<Piece>> pieces_;  // by output
};

}  // namespace

namespace nn {

std::vector<Array> predict(Model& model, const RunData& data, const PredictArgs& args) {
  distribution::join();  // so that rank 0 alone prints
  InferenceSession session(model, data, {args.batch_size, args.steps, args.verbose, args.callbacks},
                           "predict");
  data::Feed& feed = *session.feed;
  session.callbacks.call(&Callback::on_predict_begin, Logs());
  StepLoop loop(model, feed,
                {.phase = Phase::predict,
                 .layout = data.layout,
                 .calls = &session.callbacks.predict,
                 .ledger = &session.ledger,
                 .at_once = 1});  // a step's outputs are overwritten by the next one
  compile_first(loop, feed, &session.ledger);
  check_values(model, data, feed);
  loop.feeding([&] { feed.start(0); });
  Predictions predictions(session.scope.device(),
                          std::min(feed.plan().samples, session.steps * feed.batch_size()));
  const auto fetching = [&](const auto& fetch) {
    const ledger::Scope scope(session.ledger, ledger::Activity::outputs);
    fetch();
  };
  const int64_t asked = session.asked > 0 ? session.steps : 0;
  const int64_t done = loop.run(0, asked, [&](const StepLoop::Ran& ran) {
    fetching([&] { predictions.take(ran.step, ran.batch.rows); });
    session.callbacks.predict.end(ran.done, ran.done - 1, Logs());
    if (session.progress.due(ledger::now())) session.progress.draw(ran.done, {}, {});
    return !interrupted();
  });
  session.check_whole(done);
  loop.wait();
  std::vector<Array> results;
  fetching([&] { results = predictions.finish(); });
  session.callbacks.call(&Callback::on_predict_end, Logs());
  session.progress.finish(done, {}, {});
  ledger::RunFacts facts = facts_of_inference("predict", model, loop, feed, session.ledger);
  session.close(facts);
  model.impl().fits.last_run = std::move(facts);
  return results;
}

Array only(const Model& model, std::vector<Array> results) {
  if (results.size() != 1)
    throw InvalidArgument(fmt::format("model \"{}\" has {} outputs.", model.name(), results.size()),
                          "use predict_all.");
  return std::move(results[0]);
}

}  // namespace nn

std::vector<Array> Model::predict_all(const Arrays& x, const PredictArgs& args) {
  nn::check_range(args.batch_size, args.steps, "predict");
  return nn::predict(*this, nn::run_over(nn::make_columns({x, {}, {}, {}}, "predict")), args);
}

Array Model::predict(const Arrays& x, const PredictArgs& args) {
  return nn::only(*this, predict_all(x, args));
}

Array Model::predict_on_batch(const Arrays& x) {
  if (x.empty()) throw InvalidArgument("predict_on_batch: x is missing.");
  return predict(x, {.batch_size = std::max<int64_t>(x[0].length(), 1)});
}

}  // namespace stoker
