#include "backend/ranks/model_mark.h"

#include "base/digest.h"
#include "graph/dot.h"
#include "skald/version.h"

namespace skald {

std::string ModelMark::differs_from(const ModelMark& other) const {
  if (version != other.version) return fmt::format("this is Skald {}, and the first rank is {}", version, other.version);
  if (options != other.options)
    return fmt::format("its options are '{}', those of the first rank '{}'", options, other.options);
  if (graph != other.graph) return "its model is built otherwise: another file, or other values of --override-kv";
  if (weights != other.weights) return "its model has other weights than that of the first rank";
  return {};
}

void ModelMark::write(ByteWriter& to) const {
  for (const std::string* text : {&version, &options, &graph, &weights}) to.put_text(*text);
}

ModelMark ModelMark::read(ByteReader& from) {
  ModelMark out;
  for (std::string* text : {&out.version, &out.options, &out.graph, &out.weights}) *text = from.take_text();
  return out;
}

ModelMark mark_of(const std::string& options, const Graph& whole, const WeightSource& weights) {
  const BuildInfo build = build_info();
  const std::string dot = to_dot(whole, "");
  return {fmt::format("{} {}", build.version, build.commit), options, hexadecimal(sha256({std::as_bytes(std::span(dot))})),
          weights.mark()};
}

}  // namespace skald
