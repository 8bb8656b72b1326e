// Ids of lines, columns and checks of tables; names in numbers, notes and expressions.
#include "tests/framework/pipeline/check/loaded_recipe.h"

using namespace lvtext;
using Catch::Matchers::Contains;

TEST_CASE("table names: each is used once, and belongs to an entry", "[check]") {
  const std::string text = mistake(R"Y(lvtext: 1
recipe: paper/table1
data: {set: embedded}
train: {stop: 1u}
models:
  vae: {model: vae}
evaluate:
  bleu: {evaluator: bleu}
table:
  columns: [bleu, rouge, bleu]
  paper: {vae: {blue: 1, bleu: 2}, vea: {bleu: 3}}
  notes: {vae: {bleu: "a misprint", blu: "another"}}
checks:
  - {id: a, claim: x, expr: "vae.bleu > 1"}
  - {id: a, claim: y, expr: "vea.bleu > 1"}
)Y");
  CHECK_THAT(text, Contains("r.yaml:10:26: error: table.columns has 'bleu' twice"));
  CHECK_THAT(text, Contains("r.yaml:10:19: error: table.columns: 'rouge' is not a metric"));
  CHECK_THAT(text,
             Contains("r.yaml:11:17: error: the paper's number 'vae.blue' belongs to no metric"));
  CHECK_THAT(text, Contains("did you mean 'bleu'?"));
  CHECK_THAT(text, Contains("the paper's row 'vea' is not a row of this recipe"));
  CHECK_THAT(text, Contains("r.yaml:12:37: error: the note on 'vae.blu' is about no number of "
                            "`paper`"));
  CHECK_THAT(text, !Contains("the note on 'vae.bleu'"));
  CHECK_THAT(text, Contains("two checks have the id 'a'"));
  CHECK_THAT(text, Contains("unknown row 'vea'"));
}

TEST_CASE("table names: checks belong to the first table, and may name the others", "[check]") {
  const std::string tables = R"Y(lvtext: 1
recipe: p/t
data: {set: embedded}
train: {stop: 1u}
models:
  vae: {model: vae}
  lm: {model: rnn_lm}
evaluate:
  variety: {evaluator: diversity}
tables:
  one: {rows: [vae], columns: [variety], checks: [{id: a, claim: x, expr: "vae.variety > two:lm.variety"}]}
  two: {rows: [lm], columns: [variety], checks: [{id: a, claim: y, expr: "lm.variety > 1"}]}
checks:
  - {id: b, claim: z, expr: "vae.variety > 1"}
)Y";
  CHECK(mistake(tables) == "accepted");
  // Two tables may have a check of one id, but not one table.
  CHECK_THAT(mistake(replaced(tables, "{id: b,", "{id: a,")),
             Contains("error: two checks have the id 'a'") && Contains("1 error;"));
  CHECK_THAT(
      mistake(replaced(tables, "z, expr: \"vae.variety", "z, expr: \"lm.variety")),
      Contains("r.yaml:14:29: error: checks.b: column 1: unknown row 'lm'; all: vae, two:lm") &&
          Contains("1 error;"));
  CHECK_THAT(mistake(replaced(tables, "two: {rows: [lm],", "two: {rows: [lm, lm],")),
             Contains("tables.two.rows has 'lm' twice"));
  CHECK_THAT(mistake(replaced(tables, "two: {rows: [lm],",
                              "two: {paper: {gan: {variety: 1}}, rows: [lm],")),
             Contains("the paper's row 'gan' is not a row of this table") &&
                 Contains("rows are defined in models and in not_run"));
}
