// A slow judge of context-free grammars over characters (Earley, 1970), for tests: independent of the automaton.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace skald::test {

/// Rule i has alternatives of symbols: a character, or minus (1 + rule). Rule 0 is the start.
struct SlowGrammar {
  using Symbols = std::vector<int>;
  std::vector<std::vector<Symbols>> rules;

  static SlowGrammar random(unsigned seed) {
    std::mt19937 draw(seed);
    const auto below = [&](size_t n) { return static_cast<size_t>(draw() % n); };
    SlowGrammar out;
    out.rules.resize(1 + below(4));
    for (auto& alternatives : out.rules) {
      alternatives.resize(1 + below(3));
      for (Symbols& symbols : alternatives) {
        symbols.resize(below(4));
        for (int& symbol : symbols)
          symbol = below(3) == 0 ? -1 - static_cast<int>(below(out.rules.size())) : "abc"[below(3)];
      }
    }
    return out;
  }

  std::string gbnf() const {
    std::string out;
    for (size_t i = 0; i < rules.size(); ++i) {
      out += name(i) + " ::= ";
      for (size_t k = 0; k < rules[i].size(); ++k) {
        if (k > 0) out += " | ";
        out += "\"\"";
        for (const int symbol : rules[i][k])
          out += symbol < 0 ? " " + name(static_cast<size_t>(-1 - symbol))
                            : std::string(" \"") + static_cast<char>(symbol) + "\"";
      }
      out += "\n";
    }
    return out;
  }
  static std::string name(size_t rule) { return rule == 0 ? "root" : "r" + std::to_string(rule); }

  struct Verdict {
    bool begins = false;  // some sentence begins with the text
    bool whole = false;   // it is one
  };
  Verdict judge(std::string_view text) const {
    const std::vector<bool> fits = fitting();
    using Item = std::array<size_t, 4>;  // rule, alternative, place, origin
    std::vector<std::set<Item>> sets(text.size() + 1);
    const auto usable = [&](const Symbols& symbols) {
      return std::ranges::all_of(symbols, [&](int s) { return s >= 0 || fits[static_cast<size_t>(-1 - s)]; });
    };
    const auto predict = [&](size_t rule, size_t at) {
      bool added = false;
      for (size_t k = 0; k < rules[rule].size(); ++k) {
        if (usable(rules[rule][k])) added = sets[at].insert(Item{rule, k, 0, at}).second || added;
      }
      return added;
    };
    predict(0, 0);
    for (size_t at = 0; at <= text.size(); ++at) {
      for (bool changed = true; changed;) {  // until nothing is added: empty rules need no care then
        changed = false;
        const std::vector<Item> now(sets[at].begin(), sets[at].end());
        for (const Item& item : now) {
          const Symbols& symbols = rules[item[0]][item[1]];
          if (item[2] == symbols.size()) {
            const std::vector<Item> origin(sets[item[3]].begin(), sets[item[3]].end());
            for (Item caller : origin) {
              const Symbols& outer = rules[caller[0]][caller[1]];
              if (caller[2] < outer.size() && outer[caller[2]] == -1 - static_cast<int>(item[0])) {
                ++caller[2];
                changed = sets[at].insert(caller).second || changed;
              }
            }
          } else if (symbols[item[2]] < 0) {
            changed = predict(static_cast<size_t>(-1 - symbols[item[2]]), at) || changed;
          } else if (at < text.size() && symbols[item[2]] == text[at]) {
            sets[at + 1].insert({item[0], item[1], item[2] + 1, item[3]});
          }
        }
      }
    }
    Verdict out{.begins = !sets.back().empty()};
    for (const Item& item : sets.back()) {
      out.whole = out.whole || (item[0] == 0 && item[3] == 0 && item[2] == rules[0][item[1]].size());
    }
    return out;
  }

 private:
  std::vector<bool> fitting() const {
    std::vector<bool> fits(rules.size());
    for (size_t round = 0; round <= rules.size(); ++round) {
      for (size_t i = 0; i < rules.size(); ++i) {
        for (const Symbols& symbols : rules[i]) {
          if (std::ranges::all_of(symbols, [&](int s) { return s >= 0 || fits[static_cast<size_t>(-1 - s)]; }))
            fits[i] = true;
        }
      }
    }
    return fits;
  }
};

}  // namespace skald::test
