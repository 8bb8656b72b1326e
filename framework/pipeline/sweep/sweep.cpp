#include "framework/pipeline/sweep/sweep.h"

#include <algorithm>
#include <cmath>

#include "framework/core/base/characters.h"
#include "framework/core/base/strings.h"
#include "framework/core/options/json.h"
#include "framework/core/options/mapping.h"
#include "framework/core/options/numbers.h"
#include "framework/core/options/yaml.h"

namespace lvtext {
namespace {

/// The form of a dimension with more than a list.
struct DimensionOptions {
  Node values, range;
  bool log = false, integer = false;
  Node when = Node::mapping({});

  template <class V>
  void visit(V& v) {
    v.field("values", values, "list of values, as if written without a mapping");
    v.field("range", range, "lowest and highest value: [1e-5, 1e-2]");
    v.field("log", log, "range: uniform in the logarithm");
    v.field("integer", integer, "range: whole numbers");
    v.field("when", when, "other path of the space: value or values; else the path is not set");
    v.check(values.is_null() != range.is_null(), "set either `values` or `range`");
  }
};

bool is_whole(double value) {
  return std::floor(value) == value;
}

class SpaceReader {
 public:
  explicit SpaceReader(Errors& errors) : errors_(errors) {}

  void read(const Node::Entry& entry, Sweep& sweep) {
    Dimension dimension{.path = entry.key, .values = {}, .range = {}, .when = {}};
    dimension.location = entry.key_location;
    const size_t before = errors_.count();
    if (entry.value.is_sequence()) {
      dimension.values = entry.value.items();
    } else if (!entry.value.is_mapping()) {
      add(entry.value, entry.key, "a list of values or a mapping with `range` is expected",
          "such as [0.1, 0.2] or {range: [1e-5, 1e-2], log: true}");
      return;
    } else {
      const auto options = parse_options<DimensionOptions>(entry.value, errors_, {}, entry.key);
      if (errors_.count() != before) return;
      dimension.values = options.values.items();
      dimension.log = options.log;
      dimension.integer = options.integer;
      if (!options.range.is_null()) read_range(options.range, dimension);
      read_conditions(options.when, sweep, dimension);
      if (options.range.is_null() && (options.log || options.integer)) {
        add(entry.value, entry.key, "`log` and `integer` are only for a range");
      }
      if (!options.values.is_null() && !options.values.is_sequence()) {
        add(options.values, entry.key, "`values` must be a list");
      }
    }
    if (errors_.count() != before) return;
    if (dimension.values.empty() && dimension.range.empty()) {
      add(entry.value, entry.key, "the list is empty");
    }
    if (sweep.search.type == SearchType::kGrid && !dimension.range.empty()) {
      add(entry.value, entry.key, "a grid needs a list of values",
          "a range is for random and halving");
    }
    sweep.dimensions.push_back(std::move(dimension));
  }

 private:
  void add(const Node& at, const std::string& path, const std::string& message,
           const std::string& hint = "") {
    errors_.add(at.location(), "space: " + path + ": " + message, hint);
  }

  void read_range(const Node& range, Dimension& dimension) {
    const std::vector<Node>& ends = range.items();
    std::vector<double> numbers;
    for (const Node& end : ends) {
      const auto number =
          end.is_scalar() && !end.quoted() ? parse_number(end.text()) : std::nullopt;
      if (number) numbers.push_back(*number);
    }
    if (ends.size() != 2 || numbers.size() != 2) {
      return add(range, dimension.path, "a range has two numbers", "such as [1e-5, 1e-2]");
    }
    dimension.range = ends;
    if (!(numbers[0] < numbers[1])) {
      add(ends[0], dimension.path,
          "the range is empty: " + ends[0].text() + " is not less than " + ends[1].text());
    }
    if (dimension.log && numbers[0] <= 0) {
      add(ends[0], dimension.path, "a logarithmic range needs numbers above 0");
    }
    if (dimension.integer && !(is_whole(numbers[0]) && is_whole(numbers[1]))) {
      add(range, dimension.path, "`integer` needs whole numbers");
    }
  }

  void read_conditions(const Node& when, const Sweep& sweep, Dimension& dimension) {
    if (!when.is_mapping())
      return add(when, dimension.path, "`when` must be a mapping path: value");
    for (const Node::Entry& each : when.entries()) {
      const auto known =
          std::find_if(sweep.dimensions.begin(), sweep.dimensions.end(),
                       [&](const Dimension& other) { return other.path == each.key; });
      if (known == sweep.dimensions.end()) {
        errors_.add(each.key_location,
                    "space: " + dimension.path + ": when: " + shown(each.key) +
                        " is not a path of the space that stands before",
                    suggestion(each.key, keys_of(sweep.space)));
        continue;
      }
      const std::vector<Node> values =
          each.value.is_sequence() ? each.value.items() : std::vector{each.value};
      for (const Node& value : values) {
        const bool is_known =
            !known->range.empty() || std::any_of(known->values.begin(), known->values.end(),
                                                 [&](const Node& other) { return other == value; });
        if (!is_known) {
          add(value, dimension.path,
              "when: " + override_text(value) + " is not a value of " + known->path);
        }
      }
      dimension.when.emplace_back(each.key, values);
    }
  }

  Errors& errors_;
};

void check_name(const Node& node, const std::string& name, Errors& errors) {
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return is_name_character(c) || c == '-';
  });
  const Node* at = node.find("sweep");
  if (is_name || at == nullptr) return;
  errors.add(at->location(), "sweep: " + shown(name) + " is no name",
             "allowed: small letters, digits, '_' and '-'");
}

}  // namespace

const std::vector<EnumName<SearchType>>& enum_names(SearchType) {
  static const std::vector<EnumName<SearchType>> names = {
      {"grid", SearchType::kGrid, "all combinations of the lists"},
      {"random", SearchType::kRandom, "settings that are a function of seed and trial number"},
      {"halving", SearchType::kHalving,
       "random settings; at each rung only the best are continued"}};
  return names;
}

const std::vector<EnumName<ObjectiveMode>>& enum_names(ObjectiveMode) {
  static const std::vector<EnumName<ObjectiveMode>> names = {
      {"min", ObjectiveMode::kMin, "lower is better"},
      {"max", ObjectiveMode::kMax, "higher is better"}};
  return names;
}

double Dimension::low() const {
  return parse_number(range.at(0).text()).value();
}

double Dimension::high() const {
  return parse_number(range.at(1).text()).value();
}

std::string override_text(const Node& value) {
  if (value.is_scalar() && !value.quoted()) return value.text();
  return to_json(value).dump();
}

Sweep read_sweep(const std::filesystem::path& file) {
  Errors errors;
  const Node node = load_yaml(file, errors);
  errors.throw_if_any();
  Sweep sweep = parse_options<Sweep>(node, errors);
  check_name(node, sweep.sweep, errors);
  SpaceReader reader(errors);
  if (!sweep.space.is_mapping()) {
    errors.add(sweep.space.location(), "space must be a mapping, path: values");
  }
  for (const Node::Entry& entry : sweep.space.entries()) reader.read(entry, sweep);
  errors.throw_if_any();
  return sweep;
}

}  // namespace lvtext
