#include <functional>
#include <map>
#include <numeric>

#include "support/golden_elements.h"

// Random pipelines give tf.data's elements in its order.
namespace stoker {
namespace {

using Numbers = std::vector<int64_t>;

Element times_plus(const Element& element, int64_t times, int64_t plus) {
  Element made = element;
  for (Array& array : made.arrays()) {
    array = array.clone();
    for (int64_t& value : array.mutable_data<int64_t>()) value = value * times + plus;
  }
  return made;
}
int64_t sum_of(const Element& element) {
  int64_t sum = 0;
  for (const Array& array : element.arrays())
    for (const int64_t value : array.data<int64_t>()) sum += value;
  return sum;
}
// As Python's.
int64_t modulo(int64_t a, int64_t b) { return (a % b + b) % b; }
int64_t size_of_first(const Element& element) { return element.arrays()[0].size(); }
Dataset and_thousand_more(const Dataset& d) {
  return d.map([](const Element& e) { return times_plus(e, 1, 1000); });
}

Dataset source_of(const std::string& name, const Numbers& a) {
  if (name == "range") return Dataset::range(a[0]);
  Numbers values(static_cast<size_t>(a[0] * a[1]));
  std::iota(values.begin(), values.end(), 0);
  return Dataset::from_tensor_slices(Array::from(values, {a[0], a[1]}));
}

auto again(const std::function<int64_t(const Element&)>& times) {
  return [times](const Element& element) {
    return Dataset::from_tensors(element).repeat(times(element));
  };
}
Dataset ragged(const Dataset& d, const Numbers& a) {
  return d.map([=](const Array& x) {
    const int64_t value = x.data<int64_t>()[0], count = modulo(value, a[0]);
    return Array::from(Numbers(static_cast<size_t>(count), value), {count});
  });
}
Dataset scan(const Dataset& d, const Numbers& a) {
  return d.scan(Array::scalar(a[0]), [](const Array& state, const Element& element) {
    const int64_t before = state.data<int64_t>()[0];
    return std::pair(Array::scalar(before + sum_of(element)), times_plus(element, 1, before));
  });
}
Dataset ignore_errors(const Dataset& d, const Numbers& a) {
  const auto refuse = [=](const Element& element) {
    if (modulo(sum_of(element), a[0]) == 1) throw std::runtime_error("refused");
    return element;
  };
  return d.map(refuse).ignore_errors({.report = [](int64_t, const Error&) {}});
}
auto sum_modulo(int64_t keys) {
  return [=](const Element& element) { return modulo(sum_of(element), keys); };
}
Dataset group_by_window(const Dataset& d, const Numbers& a) {
  const auto batched = [=](int64_t, const Dataset& window) {
    return window.batch(a[2], {.drop_remainder = a[3] != 0});
  };
  return d.group_by_window(sum_modulo(a[0]), batched, a[1]);
}
Dataset group_by_window_of_key(const Dataset& d, const Numbers& a) {
  const std::function<int64_t(int64_t)> size = [](int64_t key) { return key + 1; };
  return d.group_by_window(
      sum_modulo(a[0]), [](int64_t, const Dataset& w) { return w.padded_batch(2); }, size);
}
Dataset choose(const Dataset& d, const Numbers& a) {
  const auto which = Dataset::range(a[0]).map(
      [=](const Array& i) { return Array::scalar<int64_t>(i.data<int64_t>()[0] % a[1] != 0); });
  return Dataset::choose_from_datasets({d, and_thousand_more(d)}, which,
                                       {.stop_on_empty_dataset = a[2] != 0});
}
Dataset interleave_ahead(const Dataset& d, const Numbers& a) {
  return d.interleave(again(sum_modulo(a[2])),
                      {.cycle_length = a[0], .block_length = a[1], .num_parallel_calls = a[3]});
}

using Apply = Dataset (*)(const Dataset&, const Numbers&);
const std::map<std::string, Apply> steps = {
    {"map",
     [](const Dataset& d, const Numbers& a) {
       return d.map([=](const Element& element) { return times_plus(element, a[0], a[1]); });
     }},
    {"filter",
     [](const Dataset& d, const Numbers& a) {
       return d.filter([=](const Element& e) { return modulo(sum_of(e), a[0]) == a[1]; });
     }},
    {"take_while",
     [](const Dataset& d, const Numbers& a) {
       return d.take_while([=](const Element& e) { return sum_of(e) < a[0]; });
     }},
    {"batch", [](const Dataset& d,
                 const Numbers& a) { return d.batch(a[0], {.drop_remainder = a[1] != 0}); }},
    {"padded_batch",
     [](const Dataset& d, const Numbers& a) {
       return d.padded_batch(a[0], {.drop_remainder = a[1] != 0});
     }},
    {"padded_to",
     [](const Dataset& d, const Numbers& a) {
       return d.padded_batch(a[0], {.padded_shapes = {{a[1]}},
                                    .padding_values = {static_cast<double>(a[2])},
                                    .drop_remainder = a[3] != 0});
     }},
    {"rebatch", [](const Dataset& d,
                   const Numbers& a) { return d.rebatch(a[0], {.drop_remainder = a[1] != 0}); }},
    {"unbatch", [](const Dataset& d, const Numbers&) { return d.unbatch(); }},
    {"unique", [](const Dataset& d, const Numbers&) { return d.unique(); }},
    {"cache", [](const Dataset& d, const Numbers&) { return d.cache(); }},
    {"repeat", [](const Dataset& d, const Numbers& a) { return d.repeat(a[0]); }},
    {"for_ever", [](const Dataset& d, const Numbers& a) { return d.repeat().take(a[0]); }},
    {"take", [](const Dataset& d, const Numbers& a) { return d.take(a[0]); }},
    {"skip", [](const Dataset& d, const Numbers& a) { return d.skip(a[0]); }},
    {"shard", [](const Dataset& d, const Numbers& a) { return d.shard(a[0], a[1]); }},
    {"enumerate", [](const Dataset& d, const Numbers& a) { return d.enumerate(a[0]); }},
    {"zip",
     [](const Dataset& d, const Numbers& a) {
       return Dataset::zip({Dataset::range(100, 100 + a[0]), d});
     }},
    {"zip_counter",
     [](const Dataset& d, const Numbers& a) {
       return Dataset::zip({Dataset::counter(a[0], a[1]), d});
     }},
    {"concatenate",
     [](const Dataset& d, const Numbers&) { return d.concatenate(and_thousand_more(d)); }},
    {"flat_map",
     [](const Dataset& d, const Numbers& a) {
       return d.flat_map(again([=](const Element&) { return a[0]; }));
     }},
    {"interleave",
     [](const Dataset& d, const Numbers& a) {
       return d.interleave(again([=](const Element&) { return a[2]; }),
                           {.cycle_length = a[0], .block_length = a[1]});
     }},
    {"interleave_ahead", interleave_ahead},
    {"window",
     [](const Dataset& d, const Numbers& a) {
       return d.window(a[0], {.shift = a[1], .stride = a[2], .drop_remainder = a[3] != 0})
           .flat_map([size = a[0]](const Dataset& window) { return window.batch(size); });
     }},
    {"ragged", ragged},
    {"scan", scan},
    {"ignore_errors", ignore_errors},
    {"group_by_window", group_by_window},
    {"group_by_window_of_key", group_by_window_of_key},
    {"bucket",
     [](const Dataset& d, const Numbers& a) {
       return d.bucket_by_sequence_length(size_of_first, {a[0], a[0] + 2}, {a[1], a[2], 2},
                                          {.drop_remainder = a[3] != 0});
     }},
    {"bucket_to_boundary",
     [](const Dataset& d, const Numbers& a) {
       return d.bucket_by_sequence_length(size_of_first, {a[0], a[1]}, {a[2], a[2], a[2]},
                                          {.pad_to_bucket_boundary = true});
     }},
    {"bucket_unpadded",
     [](const Dataset& d, const Numbers& a) {
       return d.bucket_by_sequence_length(size_of_first, {a[0]}, {a[1], a[1]},
                                          {.no_padding = true});
     }},
    {"choose", choose},
};

TEST(GoldenPipelines, GiveTfDatasElements) {
  golden::for_dataset_cases("pipeline", [](const Config& c) {
    std::optional<Dataset> dataset;
    for (const Config& step : c.find("steps")->as_list()) {
      Numbers numbers;
      for (size_t i = 1; i < step.as_list().size(); ++i)
        numbers.push_back(step.as_list()[i].as_int());
      const std::string& name = step.as_list()[0].as_string();
      dataset = dataset ? steps.at(name)(*dataset, numbers) : source_of(name, numbers);
    }
    golden::expect_elements(*dataset, c);
    const int64_t cardinality = c.find("cardinality")->as_int(), ours = dataset->cardinality();
    if (cardinality >= 0 && ours >= 0) {
      EXPECT_EQ(ours, cardinality);
    }
  });
}

}  // namespace
}  // namespace stoker
