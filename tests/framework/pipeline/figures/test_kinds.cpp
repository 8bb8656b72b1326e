// Kinds of figures, drawn from handmade data.
#include "framework/core/base/hash.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/model/registries.h"
#include "framework/core/options/yaml.h"
#include "framework/pipeline/figures/figure_data.h"
#include "framework/pipeline/figures/register.h"
#include "tests/catch.h"
#include "tests/fixed_tokenizer.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;
using Catch::Matchers::Contains;

namespace {

const Registries& registries() {
  static const Registries all = [] {
    Registries each;
    register_all_figures(each);
    return each;
  }();
  return all;
}

Configured kind(const std::string& name, const std::string& options) {
  return registries().figures.get(name).configure(parse_yaml_or_throw(options));
}

std::string mistake(const std::string& name, const std::string& options) {
  try {
    kind(name, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

FigureRow row(const std::string& id, const std::string& matched,
              const std::vector<FigureValue>& values) {
  return {.id = id, .label = "Row " + id, .matched = matched, .values = values};
}

FigureData data(std::vector<FigureRows> groups) {
  FigureData all;
  all.title = "Figure <4>";
  all.file = "figure4";
  all.groups = std::move(groups);
  return all;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// Properties of all files: a title and a description, colors for light and dark.
void check_file(const std::string& svg, const std::string& title) {
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\""));
  CHECK(contains(svg, "<title>" + title + "</title>\n<desc>"));
  CHECK(contains(svg, "prefers-color-scheme:dark"));
  CHECK(count(svg, "<svg ") == count(svg, "</svg>"));
}

Picture gray(uint8_t value) {
  return {2, 2, std::vector<uint8_t>(12, value)};
}

}  // namespace

TEST_CASE("figures: points of a line are ordered by the number matched by *", "[figures]") {
  const Configured curves =
      kind("curves", "{lines: {top_k: 'k[*]', plain: 'p[*]'}, y: [js, 'sp[valid]']}");
  const FigureNeeds needs = curves.figure->needs();
  CHECK(needs.numbered);
  CHECK_FALSE(needs.at_checkpoints);
  REQUIRE(needs.rows.size() == 2);
  CHECK(needs.rows[1].name == "plain");
  REQUIRE(needs.metrics.size() == 2);

  const FigureData given = data({{"top_k",
                                  {row("k[20]", "20", {{3.5, ""}, {1, ""}}),
                                   row("k[5]", "5", {{2.25, ""}, {std::nullopt, "no luck"}})}},
                                 {"plain", {row("p[0.5]", "0.5", {{1, ""}, {2, ""}})}}});
  const Figure figure = curves.figure->draw(given);
  CHECK(figure.csv ==
        "metric,line,row,checkpoint,x,y,reason\n"
        "js,top_k,k[5],,5,2.25,\n"
        "js,top_k,k[20],,20,3.5,\n"
        "js,plain,p[0.5],,0.5,1,\n"
        "sp[valid],top_k,k[5],,5,,no luck\n"
        "sp[valid],top_k,k[20],,20,1,\n"
        "sp[valid],plain,p[0.5],,0.5,2,\n");
  REQUIRE(figure.missing.size() == 1);
  CHECK(figure.missing[0].what == "Row k[5], sp[valid]");
  CHECK(figure.missing[0].reason == "no luck");
  check_file(figure.svg, "Figure &lt;4&gt;");
  CHECK(contains(figure.svg, ">Row k[5], sp[valid]: no luck</text>"));
  CHECK(count(figure.html, "<svg ") == 2);
  // Only the line with two points is drawn, and each point has a marker.
  CHECK(count(figure.html, "<path class=\"l s0\"") == 2);
  CHECK(count(figure.html, "<circle class=\"p s0\"") == 3);
  CHECK(curves.figure->draw(given).svg == figure.svg);
}

TEST_CASE("figures: along checkpoints each row is a line over the metric x", "[figures]") {
  const Configured curves = kind("curves", "{along: checkpoints, x: acc, y: sim, flip_x: true}");
  const FigureNeeds needs = curves.figure->needs();
  CHECK(needs.at_checkpoints);
  CHECK_FALSE(needs.numbered);
  REQUIRE(needs.metrics.size() == 2);
  CHECK(needs.metrics[0].text() == "sim");

  FigureRow m0 = row("m[0]", "0", {});
  m0.checkpoints = {{.step = 10, .epoch = 0.5, .values = {{0.9, ""}, {0.2, ""}}},
                    {.step = 20, .epoch = 1, .values = {{0.7, ""}, {0.6, ""}}}};
  FigureRow m1 = row("m[1]", "1", {});
  m1.no_checkpoints = "the row keeps no checkpoints";
  const Figure figure = curves.figure->draw(data({{"m", {m0, m1}}}));
  CHECK(figure.csv ==
        "metric,line,row,checkpoint,x,y,reason\n"
        "sim,Row m[0],m[0],10,0.2,0.9,\n"
        "sim,Row m[0],m[0],20,0.6,0.7,\n"
        "sim,Row m[1],m[1],,,,the row keeps no checkpoints\n");
  REQUIRE(figure.missing.size() == 1);
  CHECK(figure.missing[0].what == "Row m[1]");
  // x increases to the left: the first point, with the smaller x, is at the right end.
  CHECK_THAT(figure.html, Contains("d=\"M428.0"));
  CHECK_THAT(figure.html, Contains("L76.0"));

  const Configured steps = kind("curves", "{along: checkpoints, y: sim}");
  m0.checkpoints = {{.step = 10, .values = {{0.9, ""}}}, {.step = 20, .values = {{0.7, ""}}}};
  CHECK_THAT(steps.figure->draw(data({{"m", {m0}}})).csv, Contains("sim,Row m[0],m[0],20,20,0.7,"));
  m0.color = 2;  // the third row of the recipe
  CHECK_THAT(steps.figure->draw(data({{"m", {m0}}})).html, Contains("class=\"l s2\""));
}

TEST_CASE("figures: along metrics each row is a line over the values of * in y", "[figures]") {
  const Configured curves = kind("curves", "{along: metrics, y: [\"distinct[*]\", \"rep[*]\"]}");
  const FigureNeeds needs = curves.figure->needs();
  CHECK(needs.members);
  CHECK_FALSE(needs.numbered);
  FigureData given = data({{"a", {row("a", "", {{0.5, ""}, {0.7, ""}, {0.1, ""}})}},
                           {"b", {row("b", "", {{0.4, ""}, {}, {0.3, ""}})}}});
  given.groups[1].rows[0].values[1].reason = "no luck";
  given.members = {{2, 1}, {16}};
  const Figure figure = curves.figure->draw(given);
  CHECK(figure.csv ==
        "metric,line,row,checkpoint,x,y,reason\n"
        "distinct[*],Row a,a,,1,0.7,\n"
        "distinct[*],Row a,a,,2,0.5,\n"
        "distinct[*],Row b,b,,1,,no luck\n"
        "distinct[*],Row b,b,,2,0.4,\n"
        "rep[*],Row a,a,,16,0.1,\n"
        "rep[*],Row b,b,,16,0.3,\n");
  REQUIRE(figure.missing.size() == 1);
  CHECK(figure.missing[0].what == "Row b at 1, distinct[*]");
  CHECK(count(figure.html, "<svg ") == 2);
}

TEST_CASE("figures: a scatter plot has points and no line", "[figures]") {
  const Configured scatter = kind("scatter", "{x: met, y: sim}");
  CHECK_FALSE(scatter.figure->needs().numbered);
  const Figure figure = scatter.figure->draw(
      data({{"m", {row("a", "", {{1, ""}, {2, ""}}), row("b", "", {{3, ""}, {4, ""}})}}}));
  CHECK(count(figure.html, "<path") == 0);
  CHECK(count(figure.html, "<circle class=\"p s0\"") == 3);  // two points and the legend's
  CHECK(figure.csv == "metric,line,row,checkpoint,x,y,reason\nsim,m,a,,2,1,\nsim,m,b,,4,3,\n");
}

TEST_CASE("figures: a heat map has a cell for each member, and margins", "[figures]") {
  const Configured heat = kind("heat_map", "{of: 'rho[*,*]', margin: [mean, min]}");
  CHECK_FALSE(heat.figure->needs().takes_rows);
  CHECK(heat.figure->needs().stars == 2);
  FigureData given = data({});
  given.scores = {{"rho[bleu,mr]", {"bleu", "mr"}, {-0.5, ""}},
                  {"rho[bleu,cr]", {"bleu", "cr"}, {1, ""}},
                  {"rho[id,mr]", {"id", "mr"}, {0.25, ""}},
                  {"rho[id,cr]", {"id", "cr"}, {std::nullopt, "too few rows"}}};
  const Figure figure = heat.figure->draw(given);
  CHECK(figure.csv ==
        "row,column,value,reason\n"
        "bleu,mr,-0.5,\nbleu,cr,1,\nid,mr,0.25,\nid,cr,,too few rows\n");
  check_file(figure.svg, "Figure &lt;4&gt;");
  CHECK(figure.html.starts_with("<div style=\"max-width:"));
  CHECK(count(figure.html, "<rect ") == 4);
  CHECK(contains(figure.html, "<title>bleu, cr: 1</title>"));
  CHECK(contains(figure.html, "<title>id, cr: too few rows</title>"));
  CHECK(contains(figure.html, "fill=\"rgb(33,102,172)\""));  // the largest number
  // Means and minima of rows, then of columns; a cell without a number is excluded.
  for (const char* number : {">0.25</text>", ">-0.50</text>", ">-0.12</text>", ">1.00</text>"}) {
    CHECK(contains(figure.html, number));
  }
  REQUIRE(figure.missing.size() == 1);
  CHECK(figure.missing[0].what == "rho[id,cr]");
}

TEST_CASE("figures: texts of rows are listed below each other for one source", "[figures]") {
  const Configured texts = kind("texts", "{of: [outputs], items: 2}");
  REQUIRE(texts.inputs.size() == 2);
  CHECK(texts.inputs[0].by_default.text() == "row.outputs");
  FigureRow a = row("a", "", {}), b = row("b", "", {}), c = row("c", "", {});
  a.inputs.add("outputs", Text({"one", "two, three", "four"}));
  a.inputs.add("source", Text({"first", "second", "third"}));
  b.inputs.add("outputs", Text({"<eins>"}));
  c.reason = "not run";
  const Figure figure = texts.figure->draw(data({{"a", {a}}, {"b", {b, c}}}));
  CHECK(figure.csv ==
        "item,row,source,outputs,reason\n"
        "1,a,first,one,\n1,b,first,<eins>,\n1,c,first,,not run\n"
        "2,a,second,\"two, three\",\n2,b,second,,\n2,c,second,,not run\n");
  REQUIRE(figure.texts);
  CHECK(figure.texts->rows[0] == std::vector<std::string>{"1", "source", "first"});
  CHECK(figure.texts->rows[2] == std::vector<std::string>{"1", "Row b", "<eins>"});
  check_file(figure.svg, "Figure &lt;4&gt;");
  CHECK(contains(figure.svg, "&lt;eins&gt;"));
  REQUIRE(figure.missing.size() == 1);
  CHECK(figure.missing[0].reason == "not run");
}

TEST_CASE("figures: several texts of a row, such as a conversation, are lines", "[figures]") {
  FigureRow a = row("a", "", {});
  a.inputs.add("talk", Text({"1: hi", "2: ho", "1: well"}));
  a.inputs.add_rows("talk", {0, 2, 2, 3});
  const Figure figure = kind("texts", "{of: [talk], items: 3}").figure->draw(data({{"a", {a}}}));
  CHECK(figure.csv ==
        "item,row,source,talk,reason\n1,a,,\"1: hi\n2: ho\",\n2,a,,,\n3,a,,1: well,\n");
  check_file(figure.svg, "Figure &lt;4&gt;");
  for (const char* line : {">1: hi<", ">2: ho<", ">1: well<"}) CHECK(contains(figure.svg, line));
}

TEST_CASE("figures: texts selected by a metric have its largest values", "[figures]") {
  const Configured texts = kind("texts", "{of: disputed, items: 2}");
  CHECK(texts.figure->needs().row_free.size() == 1);
  FigureData given = data({});
  FigureScore score{"disputed", {}, {0.5, ""}};
  score.score.rows = {"mean", 1, {0.1, 0.9, 0.4}};
  given.scores = {score};
  given.inputs.add("text", Text({"a", "b", "c", "not scored"}));
  CHECK(texts.figure->draw(given).csv ==
        "metric,sentence,value,text\ndisputed,1,0.9,b\ndisputed,2,0.4,c\n");
  // Values of a ratio are those of single sentences.
  given.scores[0].score.rows = {"ratio", 2, {1, 4, 3, 4, 1, 2}};
  CHECK_THAT(texts.figure->draw(given).csv, Contains("1,0.75,b\ndisputed,2,0.5,c"));
  given.scores[0].score.rows = {};
  CHECK(texts.figure->draw(given).missing[0].reason == "the metric has no values per sentence");
  given.scores[0].score.rows = {"mean", 1, {1, 2, 3, 4, 5}};
  CHECK_THAT(texts.figure->draw(given).missing[0].reason, Contains("5 sentences") && Contains("4"));
}

TEST_CASE("figures: a sentence at the nearest checkpoints", "[figures]") {
  const Configured texts =
      kind("texts", "{row: m, checkpoints: [0.5e, 30u], source: 'a b', beside: [acc]}");
  CHECK(texts.inputs.back().by_default.text() == "row.outputs.source");
  const FigureNeeds needs = texts.figure->needs();
  REQUIRE(needs.rows.size() == 1);
  CHECK(needs.at_checkpoints);
  FigureRow m = row("m", "", {});
  for (const int64_t step : {10, 20}) {
    FigureCheckpoint each{.step = step, .epoch = static_cast<double>(step) / 20};
    each.values = {{static_cast<double>(step) / 100, ""}};
    each.inputs.add("source", Text({"x", "a b"}));
    each.inputs.add("outputs", Text({"no", "at " + std::to_string(step)}));
    m.checkpoints.push_back(std::move(each));
  }
  const Figure figure = texts.figure->draw(data({{"m", {m}}}));
  CHECK(figure.csv ==
        "wanted,updates,epoch,outputs,acc,reason\n"
        "0.5e,10,0.5,at 10,0.1,\n30u,20,1,at 20,0.2,\n");
  CHECK(figure.note == "Row m: a b");
  m.checkpoints[0].inputs = {};
  const Figure unknown = texts.figure->draw(data({{"m", {m}}}));
  CHECK_THAT(unknown.csv, Contains("0.5e,10,0.5,,0.1"));
  CHECK(unknown.missing.at(0).reason == "the source text does not contain this sentence");
  m.checkpoints.clear();
  m.no_checkpoints = "the row keeps no checkpoints";
  const Figure none = texts.figure->draw(data({{"m", {m}}}));
  CHECK(none.csv == "wanted,updates,epoch,outputs,acc,reason\n");
  REQUIRE(none.missing.size() == 1);
  CHECK(none.missing[0].reason == "the row keeps no checkpoints");
}

TEST_CASE("figures: images in rows, each with its description", "[figures]") {
  const Configured grid = kind("image_grid", "{columns: [cxr.valid, images], items: 2}");
  REQUIRE(grid.inputs.size() == 2);
  CHECK(grid.inputs[0].by_default.text() == "cxr.valid");
  CHECK(grid.inputs[1].by_default.text() == "row.images");
  FigureRow a = row("a", "", {}), b = row("b", "", {});
  a.pictures = {{"column_1", {gray(0), gray(255)}}, {"column_2", {gray(7)}}};
  b.reason = "diverged";
  const Figure figure = grid.figure->draw(data({{"a", {a, b}}}));
  const auto hash = [](uint8_t value) { return sha256(std::string(12, static_cast<char>(value))); };
  CHECK(figure.csv ==
        "row,column,item,height,width,sha256,reason\n"
        "Row a,cxr.valid,1,2,2," +
            hash(0) +
            ",\n"
            "Row a,cxr.valid,2,2,2," +
            hash(255) +
            ",\n"
            "Row a,images,1,2,2," +
            hash(7) +
            ",\n"
            "Row b,cxr.valid,,,,,diverged\nRow b,images,,,,,diverged\n");
  check_file(figure.svg, "Figure &lt;4&gt;");
  CHECK(count(figure.svg, "href=\"data:image/png;base64,iVBORw0KGgo") == 3);
  CHECK(contains(figure.svg, "<title>Row a, images, item 1</title>"));
  CHECK(count(figure.svg, ">diverged</text>") == 2);
}

TEST_CASE("figures: images of several sizes with captions, shown at one size", "[figures]") {
  const Configured grid = kind("image_grid",
                               "{columns: {real: cxr.valid, stage II: images}, "
                               "captions: cxr.valid.captions, items: 2, scale: 2}");
  REQUIRE(grid.inputs.size() == 3);
  CHECK(grid.inputs[2].by_default.text() == "cxr.valid.captions");
  CHECK(grid.figure->needs().pictures == std::vector<std::string>{"column_1", "column_2"});
  FigureRow a = row("a", "", {});
  const Picture large{4, 4, std::vector<uint8_t>(48, 9)};
  a.pictures = {{"column_1", {gray(0), gray(255)}}, {"column_2", {large, large}}};
  // Two captions of the first image, three of the second.
  a.inputs.add("captions", Text({"clear, <no> effusion in either of the two lungs", "other",
                                 "opacity", "x", "y"}));
  a.inputs.add_rows("captions", {0, 2, 5});
  const Figure figure = grid.figure->draw(data({{"a", {a}}}));
  check_file(figure.svg, "Figure &lt;4&gt;");
  CHECK(count(figure.svg, "width=\"128.0\" height=\"128.0\"") == 4);
  CHECK(contains(figure.svg, ">clear, &lt;no&gt;</text>"));
  CHECK(contains(figure.svg, ">effusion in either</text>"));
  CHECK(count(figure.svg, ">opacity</text>") == 1);
  CHECK_FALSE(contains(figure.svg, "other"));
  CHECK(contains(figure.svg, ">stage II</text>"));
  CHECK(figure.csv.starts_with(
      "row,column,item,height,width,sha256,reason,caption\nRow a,real,1,2,"));
  CHECK(contains(figure.csv, ",,\"clear, <no> effusion in either of the two lungs\"\n"));
  CHECK(contains(figure.csv, "Row a,real,1,2,2," + sha256(std::string(12, '\0')) + ",,\n"));
}

TEST_CASE("figures: incompatible options are errors", "[figures]") {
  CHECK_THAT(mistake("curves", "{x: a}"), Contains("missing key 'y'"));
  CHECK_THAT(mistake("curves", "{y: a, lines: [b]}"), Contains("lines must be a mapping"));
  CHECK_THAT(mistake("curves", "{y: a, along: epochs}"),
             Contains("did you mean") || Contains("rows"));
  CHECK_THAT(mistake("curves", "{along: metrics, x: a, y: \"b[*]\"}"),
             Contains("along metrics, x is"));
  CHECK_THAT(mistake("heat_map", "{margin: [mean]}"), Contains("missing key 'of'"));
  CHECK_THAT(mistake("heat_map", "{of: a, margin: [median]}"), Contains("median"));
  CHECK_THAT(mistake("texts", "{of: a, row: b, checkpoints: [1e], source: c}"),
             Contains("`of` must be a list of names of texts"));
  CHECK_THAT(mistake("texts", "{row: b}"), Contains("`row` requires `checkpoints` and `source`"));
  CHECK_THAT(mistake("texts", "{of: [a], beside: [b]}"), Contains("require `row`"));
  CHECK_THAT(mistake("texts", "{row: b, checkpoints: [5min], source: c}"),
             Contains("updates or epochs"));
  CHECK_THAT(mistake("image_grid", "{items: 3}"), Contains("missing key 'columns'"));
  CHECK_THAT(mistake("image_grid", "{columns: {}}"), Contains("columns must be a reference"));
  CHECK_THAT(mistake("image_grid", "{columns: a, scale: 9}"), Contains("scale"));
}

TEST_CASE("figures: words of lines with the probabilities of policies", "[figures]") {
  // Ids are the words w0, w1, ...
  const auto tokenizer = testing::fixed_tokenizer([](std::span<const int32_t> ids) {
    std::string text;
    for (const int32_t id : ids) text += " w" + std::to_string(id);
    return text;
  });
  const TemporaryFolder folder;
  const auto number = [](const char* name, bool ragged) {
    return ColumnDecl{.name = name, .kind = ColumnKind::kNumber, .ragged = ragged};
  };
  DatasetWriter writer(folder / "lines",
                       {{.name = "text", .vocabulary = tokenizer->vocabulary()},
                        number("divergence", false),
                        {.name = "words", .vocabulary = tokenizer->vocabulary(), .ragged = true},
                        number("softmax", true),
                        number("greedy", true)});
  float p = 0.8f;
  for (const TokenIds& line : {TokenIds{4, 5, 6}, TokenIds{7, 8}, TokenIds{9}}) {
    writer.add_text(0, line);
    const float divergence = p;
    writer.add_numbers(1, {&divergence, 1});
    for (const int32_t id : line) {
      writer.add_text(2, std::vector<int32_t>{id});
      p /= 2;
      writer.add_numbers(3, {&p, 1});
      const float greedy = id == 5 ? 1 : 0;
      writer.add_numbers(4, {&greedy, 1});
    }
    writer.end_row();
  }
  writer.finish();
  const Configured words = kind("word_probabilities", "{items: 2, labels: {greedy: Greedy}}");
  CHECK_FALSE(words.figure->needs().takes_rows);
  FigureData given = data({});
  given.inputs.add("lines", Dataset(folder / "lines"), false, tokenizer);
  const Figure figure = words.figure->draw(given);
  CHECK(figure.csv ==
        "line,divergence,word,policy,probability\n"
        "1,0.8,w4,softmax,0.4\n"
        "1,0.8,w5,softmax,0.2\n"
        "1,0.8,w6,softmax,0.1\n"
        "1,0.8,w4,greedy,0\n"
        "1,0.8,w5,greedy,1\n"
        "1,0.8,w6,greedy,0\n"
        "2,0.1,w7,softmax,0.05\n"
        "2,0.1,w8,softmax,0.025\n"
        "2,0.1,w7,greedy,0\n"
        "2,0.1,w8,greedy,0\n");
  check_file(figure.svg, "Figure &lt;4&gt;");
  CHECK(count(figure.html, "<svg ") == 2);  // a map for each line
  CHECK(contains(figure.html, ">0.4000</text>"));
  CHECK(contains(figure.html, ">Greedy</text>"));
  REQUIRE(figure.texts);
  CHECK(figure.texts->rows == std::vector<std::vector<std::string>>{{"1", "0.8000", "w4 w5 w6"},
                                                                    {"2", "0.1000", "w7 w8"}});
  given.reason = "not run";
  CHECK_THROWS_WITH(words.figure->draw(given), Contains("not run"));
}

TEST_CASE("figure kinds: the names of the outer parallel coordinates are inside", "[figures]") {
  const FigureData all = data({{"trials", {row("1", "", {{1, ""}, {2, ""}, {3, ""}})}}});
  const Figure lines =
      kind("parallel_coordinates", "axes: [first, middle, last]").figure->draw(all);
  CHECK(count(lines.svg, "text x=\"0.0\" y=\"30.0\" text-anchor=\"start\">first</text>") == 1);
  CHECK(count(lines.svg, "text-anchor=\"middle\">middle</text>") == 1);
  CHECK(count(lines.svg, "text x=\"880.0\" y=\"30.0\" text-anchor=\"end\">last</text>") == 1);
}
