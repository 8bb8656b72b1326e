#include "framework/pipeline/report/template.h"

#include <set>
#include <stdexcept>

namespace lvtext {

std::string fill_template(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  std::set<std::string> used;
  for (size_t at = 0; at < text.size();) {
    const size_t open = text.find("{{", at);
    const size_t close = open == text.npos ? text.npos : text.find("}}", open);
    if (close == text.npos) {
      out += text.substr(at);
      break;
    }
    const std::string name(text.substr(open + 2, close - open - 2));
    const auto value = values.find(name);
    if (value == values.end())
      throw std::logic_error("the template's {{" + name + "}} has no value");
    used.insert(name);
    out.append(text.substr(at, open - at)).append(value->second);
    at = close + 2;
  }
  for (const auto& [name, value] : values) {
    if (!used.contains(name)) throw std::logic_error("the template has no {{" + name + "}}");
  }
  return out;
}

}  // namespace lvtext
