#pragma once
#include <concepts>
#include <type_traits>

#include "stoker/run_record.h"

// The fields of a record and their names in run.json, used for writing, reading and the table in
// docs/report.md.
namespace stoker::report {

template <class T, class U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

template <Like<Advice> T, class V>
void visit(T& a, V& v) {
  v("cause", a.cause);
  v("sentence", a.sentence);
  v("remedy", a.remedy);
  v("place", a.place);
  v("observed", a.observed);
  v("step_now", a.step_now);
  v("step_then", a.step_then);
  v("step_low", a.step_low);
  v("step_high", a.step_high);
  v("evidence", a.evidence);
  v("apply", a.apply);
}

template <Like<Account::Part> T, class V>
void visit(T& p, V& v) {
  v("cause", p.cause);
  v("seconds", p.seconds);
  v("observed", p.observed);
}

template <Like<Account::Work> T, class V>
void visit(T& w, V& v) {
  v("flops", w.flops);
  v("bytes", w.bytes);
  v("peak_flops", w.peak_flops);
  v("peak_bandwidth", w.peak_bandwidth);
  v("limit", w.limit);
  v("op", w.op);
  v("cores", w.cores);
  v("cores_used", w.cores_used);
}

template <Like<Account> T, class V>
void visit(T& a, V& v) {
  v("run", a.run);
  v("device", a.device);
  v("device_name", a.device_name);
  v("wall", a.wall);
  v("busy", a.busy);
  v("steps", a.steps);
  v("samples", a.samples);
  v("batch_size", a.batch_size);
  v("samples_per_second", a.samples_per_second);
  v("parts", a.parts);
  v("verdict", a.verdict);
  v("advice", a.advice);
  v("step_seconds", a.step_seconds);
  v("work", a.work);
  v("memory_used", a.memory_used);
  v("memory", a.memory);
  v("largest_batch", a.largest_batch);
}

template <Like<RunRecord::Curve> T, class V>
void visit(T& c, V& v) {
  v("name", c.name);
  v("epochs", c.epochs);
  v("values", c.values);
}

template <Like<RunRecord::Cost> T, class V>
void visit(T& c, V& v) {
  v("name", c.name);
  v("calls", c.calls);
  v("flops", c.flops);
  v("bytes", c.bytes);
  v("seconds", c.seconds);
  v("limit", c.limit);
  v("bound", c.bound);
}

template <Like<RunRecord::Layer> T, class V>
void visit(T& l, V& v) {
  v("cost", l.cost);
  v("ops", l.ops);
}

template <Like<RunRecord::Ceiling> T, class V>
void visit(T& c, V& v) {
  v("name", c.name);
  v("rate", c.rate);
  v("unit", c.unit);
}

template <Like<RunRecord::Profile> T, class V>
void visit(T& p, V& v) {
  v("from", p.asked.from);
  v("to", p.asked.to);
  v("steps", p.steps);
  v("step_seconds", p.step_seconds);
  v("call_seconds", p.call_seconds);
  v("note", p.note);
  v("ceilings", p.ceilings);
}

template <Like<RunRecord::Span> T, class V>
void visit(T& s, V& v) {
  v("lane", s.lane);
  v("name", s.name);
  v("begin", s.begin);
  v("end", s.end);
}

template <Like<RunRecord::Timeline> T, class V>
void visit(T& t, V& v) {
  v("first_step", t.first_step);
  v("steps", t.steps);
  v("spans", t.spans);
  v("left_out", t.left_out);
}

template <Like<RunRecord::MemoryUse> T, class V>
void visit(T& m, V& v) {
  v("name", m.name);
  v("bytes", m.bytes);
}

template <Like<RunRecord::Memory> T, class V>
void visit(T& m, V& v) {
  v("places", m.places);
  v("uses", m.uses);
  v("peak", m.peak);
  v("device_total", m.device_total);
}

template <Like<RunRecord::ModelLayer> T, class V>
void visit(T& l, V& v) {
  v("name", l.name);
  v("kind", l.kind);
  v("parameters", l.parameters);
}

template <Like<StageStatistics> T, class V>
void visit(T& s, V& v) {
  v("name", s.name);
  v("where", s.where);
  v("elements", s.elements);
  v("seconds_per_element", s.seconds_per_element);
  v("waited_seconds", s.waited_seconds);
  v("held_bytes", s.held_bytes);
  v("parallel", s.parallel);
  v("setting", s.setting);
  v("value", s.value);
  v("automatic", s.automatic);
}

template <Like<TunerDecision> T, class V>
void visit(T& d, V& v) {
  v("seconds", d.seconds);
  v("stage", d.stage);
  v("setting", d.setting);
  v("from", d.from);
  v("to", d.to);
  v("why", d.why);
}

template <Like<PipelineStatistics> T, class V>
void visit(T& s, V& v) {
  v("stages", s.stages);
  v("decisions", s.decisions);
  v("notes", s.notes);
  v("taken", s.taken);
  v("seconds", s.seconds);
  v("waited_seconds", s.waited_seconds);
  v("threads", s.threads);
  v("verdict", s.verdict);
}

template <Like<RunRecord> T, class V>
void visit(T& r, V& v) {
  v("name", r.name);
  v("started", r.started);
  v("state", r.state);
  v("account", r.account);
  v("account_line", r.account_line);
  v("curves", r.curves);
  v("profile", r.profile);
  v("layers", r.layers);
  v("timeline", r.timeline);
  v("memory", r.memory);
  v("input", r.input);
  v("model", r.model);
  v("settings", r.settings);
  v("environment", r.environment);
}

}  // namespace stoker::report
