#include "framework/report/escape.h"

#include <array>
#include <cstddef>
#include <utility>

namespace lvtext {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The bytes of the well-formed UTF-8 character at `at`, 0 if there is none.
size_t utf8_bytes(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what lies above U+10FFFF.
  const unsigned second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
      (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array kLatex{Pair{"\\", "\\textbackslash{}"},
                            Pair{"{", "\\{"},
                            Pair{"}", "\\}"},
                            Pair{"$", "\\$"},
                            Pair{"&", "\\&"},
                            Pair{"#", "\\#"},
                            Pair{"%", "\\%"},
                            Pair{"_", "\\_"},
                            Pair{"^", "\\textasciicircum{}"},
                            Pair{"~", "\\textasciitilde{}"},
                            Pair{"<", "\\textless{}"},
                            Pair{">", "\\textgreater{}"},
                            Pair{"|", "\\textbar{}"},
                            Pair{"\n", " "},
                            Pair{"\r", " "},
                            Pair{"\t", " "},
                            Pair{"±", "$\\pm$"},
                            Pair{"→", "$\\rightarrow$"},
                            Pair{"×", "$\\times$"},
                            Pair{"≤", "$\\leq$"},
                            Pair{"≥", "$\\geq$"},
                            Pair{"−", "$-$"},
                            Pair{"∞", "$\\infty$"},
                            Pair{"α", "$\\alpha$"},
                            Pair{"β", "$\\beta$"},
                            Pair{"γ", "$\\gamma$"},
                            Pair{"ε", "$\\epsilon$"},
                            Pair{"λ", "$\\lambda$"},
                            Pair{"μ", "$\\mu$"},
                            Pair{"σ", "$\\sigma$"},
                            Pair{"τ", "$\\tau$"}};

constexpr std::array kMarkdown{Pair{"\\", "\\\\"}, Pair{"|", "\\|"},   Pair{"*", "\\*"},
                               Pair{"_", "\\_"},   Pair{"`", "\\`"},   Pair{"[", "\\["},
                               Pair{"]", "\\]"},   Pair{"&", "&amp;"}, Pair{"<", "&lt;"},
                               Pair{"\n", " "},    Pair{"\r", " "}};

template <size_t N>
std::string replace_each(std::string_view text, const std::array<Pair, N>& pairs) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Pair* found = nullptr;
    for (const Pair& pair : pairs) {
      if (text.substr(at).starts_with(pair.first)) found = &pair;
    }
    if (found != nullptr) {
      out += found->second;
      at += found->first.size();
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8_bytes(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool control = (byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F;
    if (length == 0 || control) {
      out += kReplacement;
      ++at;
      continue;
    }
    switch (text[at]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += text.substr(at, length);
    }
    at += length;
  }
  return out;
}

std::string escape_latex(std::string_view text) {
  return replace_each(text, kLatex);
}

std::string escape_markdown(std::string_view text) {
  return replace_each(text, kMarkdown);
}

std::string escape_csv(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace lvtext
