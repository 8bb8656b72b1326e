#include "framework/pipeline/report/escape.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include "framework/core/base/utf8.h"

namespace lvtext {
namespace {

// U+FFFD, in place of characters that browsers reject.
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

std::string without_controls(std::string_view text, std::string_view replacement) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
    control ? out += replacement : out += c;
  }
  return out;
}

/// True for text that a spreadsheet evaluates as a formula; signed numbers are not formulas.
bool begins_formula(std::string_view text) {
  if (text.empty() || std::string_view("=+-@\t\r").find(text[0]) == std::string_view::npos) {
    return false;
  }
  const std::string_view digits = text[0] == '+' ? text.substr(1) : text;
  double number = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return failed != std::errc() || end != digits.data() + digits.size();
}

/// True for a formula after any number of apostrophes. Such text may be output of escape_formula()
/// and needs another apostrophe so that unescape_formula() restores it.
bool reads_as_formula(std::string_view text) {
  return begins_formula(text.substr(std::min(text.find_first_not_of('\''), text.size())));
}

}  // namespace

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : replace_invalid_utf8(text)) {
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
  const std::string plain = without_controls(replace_invalid_utf8(text), "?");
  // After \\ and \midrule, a leading "[" or "*" would start an option.
  const size_t first = plain.find_first_not_of(" \t\r\n");
  const bool is_option = first != std::string::npos && (plain[first] == '[' || plain[first] == '*');
  return (is_option ? "{}" : "") + replace_each(plain, kLatex);
}

std::string escape_markdown(std::string_view text) {
  return replace_each(without_controls(replace_invalid_utf8(text), kReplacement), kMarkdown);
}

std::string escape_formula(std::string_view text) {
  return (reads_as_formula(text) ? "'" : "") + std::string(text);
}

std::string unescape_formula(std::string_view text) {
  const bool escaped = text.starts_with("'") && reads_as_formula(text);
  return std::string(escaped ? text.substr(1) : text);
}

std::string escape_csv(std::string_view text) {
  std::string field = escape_formula(replace_invalid_utf8(text));
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string html_element(const std::string& name, const std::string& text) {
  return "<" + name + ">" + escape_html(text) + "</" + name + ">";
}

}  // namespace lvtext
