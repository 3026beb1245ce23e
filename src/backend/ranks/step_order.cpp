#include "backend/ranks/step_order.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"

namespace skald {
namespace {

// What of a view is the same for all sequences and steps.
KvView layout_of(KvView view) {
  view.pages = view.v_pages = nullptr;
  view.open.pages = nullptr;
  view.open.first = 0;
  view.kept = view.begin = view.shift = view.dropped = view.prefix = 0;
  view.index.runs = nullptr;
  view.index.n_runs = 0;
  view.decode = view.in_order = false;
  view.key_sums = nullptr;
  return view;
}

bool same(const IndexPlace& a, const IndexPlace& b) {
  return a.run_keys == b.run_keys && a.offset == b.offset && a.head_stride == b.head_stride && a.sums == b.sums &&
         a.bounds == b.bounds;
}

bool same(const KvView& a, const KvView& b) {
  const auto of_keys = [](const KvView& v) {
    return std::tuple(v.k_offset, v.k_head_stride, v.k_stride, v.k_format, v.k_order, v.k_rotated, v.k_codes, v.open.offset,
                      v.open.head_stride, v.open.stride);
  };
  const auto of_values = [](const KvView& v) {
    return std::tuple(v.v_offset, v.v_head_stride, v.v_stride, v.v_format, v.v_order, v.v_rotated, v.index.kind);
  };
  return of_keys(a) == of_keys(b) && of_values(a) == of_values(b) && same(a.index.places[0], b.index.places[0]) &&
         same(a.index.places[1], b.index.places[1]);
}

int64_t slots_of(const Graph& graph) { return std::ssize(graph.states); }
bool is_attention(const Graph& graph, int64_t slot) {
  return std::holds_alternative<AttentionState>(graph.states[static_cast<size_t>(slot)]);
}

/// What of a view belongs to a sequence, and is the same for all slots of a group.
struct Table {
  int64_t kept, begin, shift, open_first, n_pages, n_open, n_runs;
};

struct OfSequence {
  int64_t dropped, prefix;
  bool decode, in_order;
};

/// The parameters of a sequence's SparqPolicy that other ranks can follow: their heads' shares are not known here.
struct SparqWords {
  int64_t k1, k2, local;
  double ratio, loss, scale;
  int8_t mean;  // -1: unset
  uint8_t choice, selector;
  bool even;
};

}  // namespace

void StepWriter::write(ByteWriter& to, const Graph& graph, const StepArgs& step) {
  lists_ = 0;
  const int64_t n_seqs = step.kv.n_seqs;
  to.put(step.stats.n_tokens);
  to.put(step.stats.n_outputs);
  to.put(step.decode);
  to.put_all(step.stats.sequences);
  to.put_all(std::span(step.positions, static_cast<size_t>(step.stats.n_tokens)));
  for (const int id : graph.step_inputs()) {
    const Node& node = graph.node(id);
    to.put_all(std::span(step_input(node, step.inputs), static_cast<size_t>(step.stats.bytes(node.out))));
  }
  to.put(n_seqs);
  write_views(to, graph, step.kv);
  int64_t row = 0;
  for (int64_t q = 0; q < n_seqs; ++q) {
    row += step.stats.sequences[static_cast<size_t>(q)].rows;
    write_sequence(to, graph, step, q, step.positions[row - 1]);
  }
  write_sparq(to, step.kv);
}

void StepWriter::write_views(ByteWriter& to, const Graph& graph, const KvBatch& kv) {
  std::vector<KvView> views;
  for (int64_t slot = 0; slot < slots_of(graph); ++slot) views.push_back(layout_of(kv.views[slot * kv.n_seqs]));
  const bool known = std::ranges::equal(views, before_.views, [](const KvView& a, const KvView& b) { return same(a, b); });
  to.put(known);
  if (known) return;
  to.put_all(std::span<const KvView>(views));
  before_.views = std::move(views);
}

void StepWriter::write_sequence(ByteWriter& to, const Graph& graph, const StepArgs& step, int64_t sequence,
                                int32_t last_position) {
  const KvBatch& kv = step.kv;
  const OfSequence none{};
  bool begun = false;
  groups_.clear();
  for (int64_t slot = 0; slot < slots_of(graph); ++slot) {
    if (!is_attention(graph, slot)) {
      to.put(kv.recurrent[slot * kv.n_seqs + sequence]);
      continue;
    }
    const KvView& view = kv.views[slot * kv.n_seqs + sequence];
    if (!std::exchange(begun, true)) to.put(OfSequence{view.dropped, view.prefix, view.decode, view.in_order});
    to.put(view.key_sums);
    const int64_t like = first_of_group(kv, slot, sequence);
    to.put(like);
    if (like < slot) continue;
    const int64_t n_open = view.k_codes == KeyCodes::kNone ? 0 : last_position / kPageKeys - view.open.first + 1;
    const Table table{view.kept, view.begin,       view.shift, view.open.first, (last_position - view.shift) / kPageKeys + 1,
                      n_open,    view.index.n_runs};
    to.put(table);
    write_pages(to, view.pages, table.n_pages);
    write_pages(to, view.open.pages, table.n_open);
    to.put_all(std::span(view.index.runs, static_cast<size_t>(table.n_runs)));
  }
  if (!begun) to.put(none);
}

// Slots of one group show the same list of pages.
int64_t StepWriter::first_of_group(const KvBatch& kv, int64_t slot, int64_t sequence) {
  const auto pages = [&](int64_t of) { return kv.views[of * kv.n_seqs + sequence].pages; };
  const auto like = std::ranges::find(groups_, pages(slot), pages);
  if (like != groups_.end()) return *like;
  return groups_.emplace_back(slot);
}

// The list at this place of the step before begins mostly as this one.
void StepWriter::write_pages(ByteWriter& to, std::byte* const* pages, int64_t n) {
  if (lists_ == before_.page_lists.size()) before_.page_lists.emplace_back();
  std::vector<std::byte*>& before = before_.page_lists[lists_++];
  const std::span now(pages, static_cast<size_t>(n));
  const auto same = std::ranges::mismatch(before, now).in1 - before.begin();
  to.put(static_cast<int64_t>(same));
  to.put_all(now.subspan(static_cast<size_t>(same)));
  before.assign(now.begin(), now.end());
}

void StepWriter::write_sparq(ByteWriter& to, const KvBatch& kv) {
  for (int64_t q = 0; q < kv.n_seqs; ++q) {
    const SparqPolicy policy = kv.sparq ? kv.sparq[q] : SparqPolicy{};
    const bool sparse = policy.params && !policy.errors;  // a row that measures attends densely
    to.put(sparse);
    if (!sparse) continue;
    const SparqParams& p = *policy.params;
    to.put(SparqWords{p.k1, p.k2, p.local, p.ratio, p.loss, policy.scale, static_cast<int8_t>(p.mean ? *p.mean : -1),
                      static_cast<uint8_t>(p.choice), static_cast<uint8_t>(p.selector), p.even});
    to.put_text(p.index);
  }
}

const StepArgs& StepReader::read(ByteReader& from, const Graph& graph, const FollowerMemory& memory) {
  lists_ = 0;
  pages_.clear();
  runs_.clear();
  params_.clear();
  args_ = {};
  args_.stats.n_tokens = from.take<int64_t>();
  args_.stats.n_outputs = from.take<int64_t>();
  args_.decode = from.take<bool>();
  sequences_ = from.take_all<StepStats::Sequence>();
  for (StepStats::Sequence& s : sequences_) s.sparq = nullptr;  // an address of the first rank
  args_.stats.sequences = sequences_;
  positions_ = from.take_all<int32_t>();
  args_.positions = positions_.data();
  read_inputs(from, graph);
  const auto n_seqs = from.take<int64_t>();
  if (!from.take<bool>()) before_.views = from.take_all<KvView>();
  views_.assign(static_cast<size_t>(slots_of(graph) * n_seqs), {});
  recurrent_.assign(views_.size(), nullptr);
  row_seq_.clear();
  args_.kv = {views_.data(), recurrent_.data(), n_seqs};
  for (int64_t q = 0; q < n_seqs; ++q) {
    row_seq_.insert(row_seq_.end(), static_cast<size_t>(sequences_[static_cast<size_t>(q)].rows), static_cast<int32_t>(q));
    read_sequence(from, graph, memory, q);
  }
  args_.kv.row_seq = row_seq_.data();
  read_sparq(from);
  args_.kv.sparq = policies_.data();
  return args_;
}

void StepReader::read_inputs(ByteReader& from, const Graph& graph) {
  inputs_.clear();
  input_bytes_.clear();
  for (const int id : graph.step_inputs()) {
    const Node& node = graph.node(id);
    const std::byte* const data = input_bytes_.emplace_back(from.take_all<std::byte>()).data();
    if (node.out.format == &format_i32)
      inputs_.push_back({node.name, reinterpret_cast<const int32_t*>(data)});
    else
      inputs_.push_back({node.name, reinterpret_cast<const float*>(data)});
  }
  args_.inputs = inputs_;
}

void StepReader::read_sequence(ByteReader& from, const Graph& graph, const FollowerMemory& memory, int64_t sequence) {
  const int64_t n_seqs = args_.kv.n_seqs;
  std::optional<OfSequence> own;
  for (int64_t slot = 0; slot < slots_of(graph); ++slot) {
    if (!is_attention(graph, slot)) {
      recurrent_[static_cast<size_t>(slot * n_seqs + sequence)] =
          reinterpret_cast<float*>(memory.find(from.take<const std::byte*>()));
      continue;
    }
    if (!own) own = from.take<OfSequence>();
    KvView view = before_.views[static_cast<size_t>(slot)];
    view.key_sums = memory.find(from.take<const std::byte*>());
    if (const auto like = from.take<int64_t>(); like < slot) {
      const KvView& group = views_[static_cast<size_t>(like * n_seqs + sequence)];
      view.pages = group.pages;
      view.open.pages = group.open.pages;
      view.open.first = group.open.first;
      view.kept = group.kept;
      view.begin = group.begin;
      view.shift = group.shift;
      view.index.runs = group.index.runs;
      view.index.n_runs = group.index.n_runs;
    } else {
      const auto table = from.take<Table>();
      view.pages = read_pages(from, memory);
      view.open.pages = read_pages(from, memory);
      view.open.first = table.open_first;
      view.kept = table.kept;
      view.begin = table.begin;
      view.shift = table.shift;
      std::vector<IndexRun>& runs = runs_.emplace_back(from.take_all<IndexRun>());
      for (IndexRun& run : runs) run.data = memory.find(run.data);
      view.index.runs = runs.data();
      view.index.n_runs = table.n_runs;
    }
    view.v_pages = view.pages;
    view.dropped = own->dropped;
    view.prefix = own->prefix;
    view.decode = own->decode;
    view.in_order = own->in_order;
    views_[static_cast<size_t>(slot * n_seqs + sequence)] = view;
  }
  if (!own) from.take<OfSequence>();
}

std::byte* const* StepReader::read_pages(ByteReader& from, const FollowerMemory& memory) {
  if (lists_ == before_.page_lists.size()) before_.page_lists.emplace_back();
  std::vector<std::byte*>& list = before_.page_lists[lists_++];
  list.resize(static_cast<size_t>(from.take<int64_t>()));
  const std::vector<std::byte*> more = from.take_all<std::byte*>();
  list.insert(list.end(), more.begin(), more.end());
  std::vector<std::byte*>& here = pages_.emplace_back();
  for (const std::byte* there : list) here.push_back(memory.find(there));
  return here.data();
}

void StepReader::read_sparq(ByteReader& from) {
  policies_.assign(static_cast<size_t>(args_.kv.n_seqs), {});
  for (size_t q = 0; q < policies_.size(); ++q) {
    if (!from.take<bool>()) continue;
    const auto words = from.take<SparqWords>();
    SparqParams& p = params_.emplace_back();
    p.k1 = words.k1;
    p.k2 = words.k2;
    p.ratio = words.ratio;
    p.loss = words.loss;
    p.local = words.local;
    if (words.mean >= 0) p.mean = words.mean != 0;
    p.choice = static_cast<SparqChoice>(words.choice);
    p.selector = static_cast<KeySelection>(words.selector);
    p.even = words.even;
    p.index = from.take_text();
    policies_[q] = {.params = &p, .scale = words.scale};
    sequences_[q].sparq = &p;
  }
}

}  // namespace skald
