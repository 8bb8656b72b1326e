#include "framework/report/escape.h"

#include <array>
#include <cstddef>
#include <utility>

#include "framework/base/utf8.h"

namespace lvtext {
namespace {

// What a browser would refuse becomes U+FFFD.
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

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
  for (const char c : replace_utf8_flaws(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\t':
      case '\n': out += c; break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        const bool control = byte < 0x20 || byte == 0x7F;
        control ? out += kReplacement : out += c;
      }
    }
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
