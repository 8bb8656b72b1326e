#include "framework/pipeline/recipe/reference.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

Named match(const EntryNames& names, const std::string& text) {
  const auto reference = parse_reference(text);
  REQUIRE(reference);
  return names.match(*reference);
}

EntryNames some_names() {
  EntryNames names;
  for (const char* id : {"lm[negative]", "lm[positive]", "words", "ent[wt2,1.1]", "ent[wt2,1.5]",
                         "ent[bc,1.1]", "ent[bc,1.5]"}) {
    names.add(id);
  }
  names.add_removed("ent[wt103,1.1]", "not in profile cpu");
  return names;
}

}  // namespace

TEST_CASE("reference: all forms are read and written back", "[recipe]") {
  for (const char* text :
       {"words", "yelp.test", "li.test.rewrite", "lm[negative]", "ent[wt2,*]",
        "t_nll[wt2,test].p_0.95", "row.outputs.source", "transfer[m6]@li80", "m@last", "m@best",
        "m@step:1000", "transfer[m6].model@acc80", "best[wt2].model", "m@acc[80]"}) {
    INFO(text);
    const auto reference = parse_reference(text);
    REQUIRE(reference);
    CHECK(reference->text() == text);
  }
  const auto whole = parse_reference("t_nll[wt2,test].p_0.95@best");
  CHECK(whole->id == "t_nll");
  CHECK(whole->values == std::vector<std::string>{"wt2", "test"});
  CHECK(whole->part == "p_0.95");
  CHECK(whole->at == "best");
}

TEST_CASE("reference: invalid forms", "[recipe]") {
  for (const char* text : {"", "Words", "lm[", "lm[]", "lm[a b]", "lm[a]x", "a.", "m@", "m@step:x",
                           "m@step:-1", "a b", "3lm", "lm[a].b c"}) {
    INFO(text);
    CHECK_FALSE(parse_reference(text));
  }
}

TEST_CASE("reference: one entry, and patterns in the order of the recipe", "[recipe]") {
  const EntryNames names = some_names();
  CHECK(match(names, "words").ids == std::vector<std::string>{"words"});
  CHECK(match(names, "lm[positive]").ids == std::vector<std::string>{"lm[positive]"});
  CHECK(match(names, "lm[*]").ids == std::vector<std::string>{"lm[negative]", "lm[positive]"});
  CHECK(match(names, "ent[*,1.5]").ids == std::vector<std::string>{"ent[wt2,1.5]", "ent[bc,1.5]"});
  CHECK(match(names, "ent[*,*]").ids.size() == 4);
}

TEST_CASE("reference: removed entries of a profile are known but not matched", "[recipe]") {
  const EntryNames names = some_names();
  const Named one = match(names, "ent[wt103,1.1]");
  CHECK(one.ids.empty());
  CHECK(one.problem.empty());
  CHECK(one.removed == std::vector<std::string>{"not in profile cpu"});
  CHECK(match(names, "ent[wt103,*]").removed.size() == 1);
  CHECK(match(names, "ent[*,1.1]").removed.empty());
}

TEST_CASE("reference: errors list what exists", "[recipe]") {
  const EntryNames names = some_names();
  CHECK(match(names, "wrods").problem == "unknown name 'wrods'");
  CHECK(match(names, "wrods").hint == "did you mean 'words'? (all: lm, words, ent)");
  CHECK(match(names, "lm").problem == "'lm' matches 2 members");
  CHECK(match(names, "lm").hint == "specify one, or all as lm[*]: lm[negative], lm[positive]");
  CHECK(match(names, "lm[neutral]").problem ==
        "'lm[neutral]': no member of lm has the value 'neutral'");
  CHECK(match(names, "lm[negatve]").hint == "did you mean 'negative'? (all: negative, positive)");
  CHECK(match(names, "lm[negative,1]").problem ==
        "'lm[negative,1]' has 2 values, and the members of lm have 1");
  CHECK(match(names, "words[1]").problem == "'words' has no members");
  EntryNames sparse;
  sparse.add("a[x,1]");
  sparse.add("a[y,2]");
  CHECK(match(sparse, "a[x,2]").problem == "'a[x,2]' is not a member of a");
}

TEST_CASE("entry ids: names of files differ if ids differ", "[recipe]") {
  CHECK(file_name_of("ae") == "ae");
  CHECK(file_name_of("ent[wt2,1.1]") == "ent=wt2,1.1");
  CHECK(id_of_file_name("ent=wt2,1.1") == "ent[wt2,1.1]");
  CHECK(id_of_file_name("ae") == "ae");
  CHECK(parse_entry_id("ent[wt2,1.1]")->values == std::vector<std::string>{"wt2", "1.1"});
  CHECK_FALSE(parse_entry_id("ent[wt2"));
  CHECK_FALSE(parse_entry_id("ent[*]"));
}
