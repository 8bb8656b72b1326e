// Manifests with several files: fields with one value per file, files joined line by line, sets
// without a pool, preparation of texts.
#include <algorithm>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/base/hash.h"
#include "framework/core/sources/given_files.h"
#include "framework/core/sources/load_splits.h"
#include "framework/core/sources/split_files.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;
using Strings = std::vector<std::string>;

namespace {

/// A set in a folder that is both the mirror and the folder of manifests.
struct ManySet {
  TemporaryFolder folder;
  DataLocations locations;
  std::string manifest =
      "name: many\ntitle: t\nlicense: l\ncitation: c\nrelatives: []\n"
      "fields: [text, other, style]\nlabels: {style: [negative, positive]}\n";
  std::string files = "files:\n";

  ManySet() { locations = {.mirror = folder.path, .cache = folder.path}; }
  /// Adds a file with these keys of its entry.
  void file(const std::string& name, const std::string& content, const std::string& keys) {
    write_file_synced(folder / name, content);
    files += "  - {path: " + name + ", bytes: " + std::to_string(content.size()) +
             ", lines: 0, urls: [], sha256: " + sha256(content) + ", " + keys + "}\n";
  }
  void key(const std::string& line) { manifest += line + "\n"; }
  DataOptions options(const Strings& fields) const {
    write_file_synced(folder / "many.yaml", manifest + files);
    DataOptions chosen;
    chosen.set = "many";
    chosen.fields = fields;
    return chosen;
  }
  Splits load(const Strings& fields) const {
    return load_splits(options(fields), locations, {folder.path});
  }
};

/// Two files that are joined, and a third one of another group.
struct JoinedSet : ManySet {
  explicit JoinedSet(const std::string& second = "d\ne\n") {
    file("a.txt", "a\nb\n", "role: test, join: one, field: text, values: {style: positive}");
    file("b.txt", second, "role: test, join: one, field: other");
    file("c.tsv", "c\tx\tf\n",
         "role: test, join: two, values: {style: negative}, "
         "reader: {type: columns, columns: [text, -, other]}");
  }
};

}  // namespace

TEST_CASE("manifest files: a field with one value per file", "[data]") {
  ManySet set;
  set.key("splits: {valid_share: 0, order: document}");
  set.file("a.txt", "good\nfine\n", "role: pool, field: text, values: {style: positive}");
  set.file("b.txt", "bad\n", "role: pool, field: text, values: {style: negative}");
  const Splits splits = set.load({"style", "text"});
  CHECK(splits.records.at("train").rows ==
        std::vector<Record>{{"positive", "good"}, {"positive", "fine"}, {"negative", "bad"}});
  CHECK(splits.records.at("train").labels.at("style") == Strings{"negative", "positive"});
  CHECK(set.load({"text"}).texts("train") == Strings{"good", "fine", "bad"});
  CHECK_THROWS_WITH(set.load({"style"}), Contains("no file of 'many' contains style"));
  CHECK_THROWS_WITH(set.load({"text", "other"}), Contains("contains text and other together"));
}

TEST_CASE("manifest files: a value is part of the identity", "[data]") {
  const auto print = [](const std::string& style) {
    ManySet set;
    set.file("a.txt", "good\n", "role: pool, field: text" + style);
    return data_fingerprint(set.options({"text"}), {set.folder.path}).at("files");
  };
  CHECK(print(", values: {style: positive}") != print(", values: {style: negative}"));
  CHECK(print("") ==
        nlohmann::json::array(
            {{{"role", "pool"}, {"sha256", sha256("good\n")}, {"reader", {{"type", "lines"}}}}}));
}

TEST_CASE("manifest files: joined line by line, group after group, without a pool", "[data]") {
  const JoinedSet set;
  const Splits splits = set.load({"other", "style", "text"});
  CHECK(splits.records.size() == 1);
  CHECK(splits.records.at("test").rows == std::vector<Record>{{"d", "positive", "a"},
                                                              {"e", "positive", "b"},
                                                              {"f", "negative", "c"}});
  CHECK(split_names(set.options({}), {set.folder.path}) == Strings{"test"});
  // Files without requested fields are not read.
  std::filesystem::remove(set.folder / "b.txt");
  CHECK(set.load({"text"}).texts("test") == Strings{"a", "b", "c"});
  CHECK_THROWS_AS(set.load({"other"}), MissingError);
}

TEST_CASE("manifest files: joined files must have equal numbers of records", "[data]") {
  CHECK_THROWS_WITH(JoinedSet("d\n").load({"text", "other"}),
                    Contains("a.txt' has 2 records, but '") &&
                        Contains("b.txt', which is joined with it by 'one', has 1"));
  CHECK_THROWS_WITH(JoinedSet("d\ne\nf\n").load({"text", "other"}), Contains("has 3"));
}

TEST_CASE("manifest files: which field is read from which file is part of the identity", "[data]") {
  const auto print = [](const char* first, const char* second) {
    ManySet set;
    set.file("a.txt", "a\n", std::string("role: pool, join: x, field: ") + first);
    set.file("b.txt", "b\n", std::string("role: pool, join: x, field: ") + second);
    return data_fingerprint(set.options({"text", "other"}), {set.folder.path});
  };
  CHECK(print("text", "other") == print("text", "other"));
  CHECK(print("text", "other") != print("other", "text"));
}

TEST_CASE("manifest files: mistakes of values and joins are named", "[data]") {
  const auto says = [](const std::string& keys, const char* what, const std::string& more = "") {
    ManySet set;
    set.file("a.txt", "a\n", keys);
    if (!more.empty()) set.file("b.txt", "b\n", more);
    CHECK_THROWS_WITH(set.load({"text"}), Contains(what));
  };
  says("role: pool, field: text, values: {stile: positive}",
       "file 'a.txt' has a value of 'stile', which is not one of text, other, style");
  says("role: pool, field: text, values: {style: neutral}",
       "has the value 'neutral' of 'style', which is not one of negative, positive");
  says("role: pool, field: text, values: {text: a}", "file 'a.txt' has the field 'text' twice");
  says("role: pool, join: x", "file 'a.txt' has the key `join` and no `field`");
  says("role: pool, join: x, field: text", "the files joined by 'x' have the field 'text' twice",
       "role: pool, join: x, field: text");
  ManySet set;
  set.key("splits: {shares: {reverse: 0.3}}");
  set.file("a.txt", "a\n", "role: test, field: text");
  CHECK_THROWS_WITH(set.load({"text"}), Contains("has a split 'reverse' of the pool, but no file "
                                                 "of the role pool"));
}

TEST_CASE("manifest files: texts in lower case, divided into words, numbers replaced", "[data]") {
  ManySet set;
  set.key(
      "splits: {valid_share: 0, order: document, lowercase: true, tokenize: treebank, "
      "number: _num_}");
  set.file("a.txt", "It isn't 5 or $4.50, but 1/2.\n  Two  3D films  \n",
           "role: pool, field: text, values: {other: 'A 7'}");
  CHECK(set.load({"text", "other"}).records.at("train").rows ==
        std::vector<Record>{{"it is n't _num_ or $ _num_ , but 1/2 .", "a _num_"},
                            {"two 3d films", "a _num_"}});
  // Limits and duplicates apply to the prepared texts.
  DataOptions options = set.options({"text"});
  options.max_words = 9;
  CHECK(load_splits(options, set.locations, {set.folder.path}).texts("train") ==
        Strings{"two 3d films"});
}

TEST_CASE("manifest files: digits replaced, records with given words removed", "[data]") {
  ManySet set;
  set.key(
      "splits: {valid_share: 0, order: document, digit: \"0\", lowercase: true, "
      "without: [<unk>, A]}");
  set.file("a.txt", "in 1998 3d ##\nthe <unk> said\nA b\na b\n<unk>s x\nb A\n",
           "role: pool, field: text");
  set.file("t.txt", "<unk>\n7 8\n", "role: test, field: text");
  const Splits splits = set.load({"text"});
  CHECK(splits.texts("train") == Strings{"in 0000 0d ##", "a b", "<unk>s x"});
  CHECK(splits.texts("test") == Strings{"0 0"});
  CHECK(splits.counts.excluded == 4);
  CHECK(to_json(splits.counts).at("excluded") == 4);
  CHECK_FALSE(to_json(SplitCounts{}).contains("excluded"));
  // Numbers are replaced before digits.
  ManySet both;
  both.key("splits: {valid_share: 0, order: document, digit: \"#\", number: N2}");
  both.file("a.txt", "5 a5\n", "role: pool, field: text");
  CHECK(both.load({"text"}).texts("train") == Strings{"N# a#"});
  ManySet none;
  none.key("splits: {without: [a]}");
  none.file("a.txt", "a\nb a\n", "role: pool, field: text");
  CHECK_THROWS_WITH(none.load({"text"}), Contains("2 with excluded words"));
}

TEST_CASE("manifest files: labels stay as they are where texts are prepared", "[data]") {
  ManySet set;
  set.key("splits: {valid_share: 0, tokenize: treebank, number: _num_}\n");
  set.manifest.replace(set.manifest.find("[negative, positive]"), 20, "[\"1\", can't]");
  set.file("a.tsv", "I can't\tcan't\n",
           "role: pool, reader: {type: columns, columns: [text, style]}");
  CHECK(set.load({"text", "style"}).records.at("train").rows ==
        std::vector<Record>{{"I ca n't", "can't"}});
}

TEST_CASE("manifest files: overlaps with the validation text are removed unless kept", "[data]") {
  const auto train = [](const std::string& rules) {
    ManySet set;
    set.key("splits: {order: document, dedupe: false, " + rules + "}");
    set.file("a.txt", "a\nb\na\nc\nd\n", "role: pool, field: text");
    set.file("v.txt", "a\nx\n", "role: valid, field: text");
    set.file("t.txt", "c\n", "role: test, field: text");
    return set.load({"text"}).texts("train");
  };
  CHECK(train("") == Strings{"b", "d"});
  CHECK(train("remove_valid_overlap: false") == Strings{"a", "b", "a", "d"});
  CHECK(train("remove_valid_overlap: false, remove_test_overlap: false") ==
        Strings{"a", "b", "a", "c", "d"});
}

TEST_CASE("manifest files: only lines with a value in a column", "[data]") {
  ManySet set;
  set.key("splits: {valid_share: 0, order: document}");
  set.file("a.tsv", "1\ta\tb\n0\tc\td\n1\te\tf\n",
           "role: pool, reader: {type: columns, columns: [style, text, other], "
           "where: {style: \"1\"}}");
  CHECK(set.load({"other", "text"}).records.at("train").rows ==
        std::vector<Record>{{"b", "a"}, {"f", "e"}});
  ManySet unknown;
  unknown.file("a.tsv", "a\n",
               "role: pool, reader: {type: columns, columns: [text], where: {other: a}}");
  CHECK_THROWS_WITH(unknown.load({"text"}),
                    Contains("where: 'other' is not one of the columns text"));
}

TEST_CASE("manifest files: published sets, if a mirror has them", "[data]") {
  const DataLocations locations = data_locations();
  if (locations.mirror.empty()) {
    SUCCEED("LVTEXT_DATA_MIRROR is not set");
    return;
  }
  const auto load = [&](const std::string& set, const Strings& fields) {
    DataOptions options;
    options.set = set;
    options.fields = fields;
    return load_splits(options, locations, {"data"});
  };
  // 6 negative and 22 positive lines of the pool are among the 1,000 test sentences.
  const Splits yelp = load("yelp-shen-reduced", {"text", "style"});
  const auto styles = yelp.records.at("train").column("style");
  CHECK(std::count(styles.begin(), styles.end(), "negative") == 35200 + 50278 - 6);
  CHECK(std::count(styles.begin(), styles.end(), "positive") == 53400 + 76392 - 22);
  CHECK(yelp.records.at("valid").rows.size() == 25278 + 38205);
  CHECK(yelp.records.at("test").rows.size() == 1000);
  CHECK(yelp.counts.too_long == 0);
  const Splits li = load("yelp-li2018", {"text", "style", "rewrite", "template", "reference3"});
  CHECK(li.records.size() == 1);
  const auto& rows = li.records.at("test").rows;
  CHECK(li.records.at("test").column("text") == yelp.texts("test"));
  CHECK(rows.front() ==
        Record{"ever since joes has changed hands it 's just gotten worse and worse .", "negative",
               "Ever since joes has changed hands it's gotten better and better.",
               "ever since joes has changed hands it 's just one of my favorite",
               "ever since joes has changed hands it is getting better"});
  CHECK(text_of(rows[2][2]) == "It didn't taste watered down at all. ");  // not cleaned
  const Splits pairs = load("multi30k-pairs", {});
  CHECK(pairs.counts.lines == 145000);
  CHECK(pairs.counts.lines - pairs.counts.duplicates - pairs.counts.overlaps ==
        std::ssize(pairs.records.at("train").rows));
  CHECK(load("quora-pairs", {}).counts.lines == 4973 + 4980);
}

TEST_CASE("manifest files: ranges divide the records of one file", "[data]") {
  ManySet set;
  set.key(
      "splits: {order: document, clean: false, dedupe: false, remove_test_overlap: false, "
      "remove_valid_overlap: false}");
  const std::string lines = "a\nb\nc\nd\nd\n";
  const auto part = [&](const std::string& role, const std::string& range) {
    set.file("a.txt", lines, "role: " + role + ", field: text, range: " + range);
  };
  part("base", "[0, 2]");
  part("pool", "[2, 3]");
  part("valid", "[3, 4]");
  part("test", "[4, 5]");
  const Splits splits = set.load({"text"});
  CHECK(splits.texts("base") == Strings{"a", "b"});
  CHECK(splits.texts("train") == Strings{"c"});
  CHECK(splits.texts("valid") == Strings{"d"});
  CHECK(splits.texts("test") == Strings{"d"});

  ManySet beyond;
  beyond.file("a.txt", lines, "role: pool, field: text, range: [2, 6]");
  CHECK_THROWS_WITH(beyond.load({"text"}),
                    Contains("a.txt' has 5 records, but its manifest uses the range [2, 6]"));
  for (const char* range : {"[3]", "[3, 3]", "[3, 2]", "[1, 2, 3]"}) {
    ManySet wrong;
    wrong.file("a.txt", lines, std::string("role: pool, field: text, range: ") + range);
    CHECK_THROWS_WITH(wrong.load({"text"}), Contains("such as [0, 31]"));
  }
}

TEST_CASE("manifest files: a range is part of the identity", "[data]") {
  const auto print = [](const std::string& range) {
    ManySet set;
    set.file("a.txt", "a\nb\nc\n", "role: pool, field: text" + range);
    return data_fingerprint(set.options({"text"}), {set.folder.path});
  };
  CHECK(print(", range: [0, 2]") != print(", range: [1, 3]"));
  CHECK(print(", range: [0, 3]") != print(""));
}

TEST_CASE("manifest files: a set of files without records", "[data]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "bpe");
  write_file_synced(folder / "bpe" / "merges.txt", "a b\n");
  write_file_synced(
      folder / "bpe.yaml",
      "name: bpe\ntitle: t\nlicense: l\ncitation: c\nrelatives: []\nfields: []\n"
      "files:\n  - {role: merges, path: bpe/merges.txt, bytes: 4, lines: 1, urls: [], "
      "sha256: " +
          sha256("a b\n") +
          "}\n  - {role: weights, path: bpe/w.bin, bytes: 9, lines: "
          "0, urls: ['https://x.example/w'], sha256: unpinned}\n");
  const std::vector<std::filesystem::path> folders = {folder.path};
  DataOptions options;
  options.set = "bpe";
  const auto mistakes = data_mistakes(options, folders);
  REQUIRE(mistakes.size() == 1);
  CHECK(mistakes[0].message == "'bpe' has files, but no records");

  const GivenFile merges{.set = "bpe", .file = "merges.txt"};
  const DataLocations locations{.mirror = folder.path, .cache = folder / "cache"};
  CHECK(locate(merges, locations, folders) == folder / "bpe" / "merges.txt");
  // The same content has the same identity, wherever it is.
  CHECK(content_of(merges, folders) == sha256("a b\n"));
  CHECK(content_of({.path = folder / "bpe" / "merges.txt"}) == sha256("a b\n"));
  CHECK(locate({.path = "x/y"}, locations) == "x/y");
  CHECK(content_of({.set = "bpe", .file = "w.bin"}, folders) == "bpe/w.bin");
  CHECK_THROWS_WITH(
      content_of({.set = "bpe", .file = "merge.txt"}, folders),
      Contains("the data set 'bpe' has no file 'merge.txt'; did you mean 'merges.txt'"));
  CHECK_THROWS_WITH(content_of({.set = "bpee", .file = "merges.txt"}, folders),
                    Contains("unknown data set 'bpee'"));
  write_file_synced(folder / "bpe" / "merges.txt", "a c\n");
  CHECK_THROWS_AS(locate(merges, locations, folders), DataError);
}

TEST_CASE("manifest files: articles begin with a heading between blank lines", "[data]") {
  const auto read = [](const std::string& text) {
    const TemporaryFolder folder;
    write_file_synced(folder / "wiki.txt", text);
    Strings articles;
    const int64_t lines =
        Choice<RecordReader>("articles")->read(folder / "wiki.txt", {"text"}, [&](Record record) {
          articles.push_back(text_of(record.front()));
        });
    CHECK(lines == std::count(text.begin(), text.end(), '\n'));
    return articles;
  };
  CHECK(read(" \n = A = \n \n a \n = = B = = \n \n b \n \n = C D = \n \n c \n") ==
        Strings{" \n = A = \n \n a \n = = B = = \n \n b \n ", " = C D = \n \n c "});
  // Formulas are no headings, nor is a title that is followed or preceded by text.
  CHECK(read("= A =\n\n= 1 / x =\ntext\n\n= B =\ntext\n= =\n\n = = = \n").size() == 1);
  CHECK(read("\n\n= A =\n\n= B =\n\n= C =\n") == Strings{"\n\n= A =\n", "= B =\n", "= C ="});
  CHECK(read("no heading\n\n").size() == 1);
}

TEST_CASE("manifest files: a field contains the split of each record", "[data]") {
  ManySet set;
  set.key("splits: {by_field: other, order: document, valid_share: 0.5, test_at_least: 3}");
  set.file("a.tsv", "a\ttrain\nb\tvalid\nc\ttest\nd\ttrain\nb\ttrain\nd\ttrain\n",
           "role: pool, reader: {type: columns, columns: [text, other]}");
  const Splits splits = set.load({"text"});
  CHECK(splits.texts("train") == Strings{"a", "d"});  // b is in valid, the second d a duplicate
  CHECK(splits.texts("valid") == Strings{"b"});
  CHECK(splits.texts("test") == Strings{"c"});
  CHECK(splits.records.size() == 3);
  CHECK(set.load({"text", "other"}).records.at("test").rows == std::vector<Record>{{"c", "test"}});
  CHECK_THROWS_WITH(set.load({"style"}), Contains("no file of 'many' contains style"));

  ManySet wrong;
  wrong.key("splits: {by_field: other}");
  wrong.file("a.tsv", "a\ttrain\nb\tdev\n",
             "role: pool, reader: {type: columns, columns: [text, other]}");
  CHECK_THROWS_WITH(wrong.load({"text"}),
                    Contains("'many', record 2: the field 'other' is 'dev', not train, valid or"));
  ManySet unknown;
  unknown.key("splits: {by_field: otter}");
  unknown.file("a.txt", "a\n", "role: pool, field: text");
  CHECK_THROWS_WITH(unknown.load({"text"}),
                    Contains("data.by_field: 'many' has no field 'otter'; did you mean 'other'"));
}

TEST_CASE("manifest files: a field of own files contains the split", "[data]") {
  const TemporaryFolder folder;
  write_file_synced(folder / "own.jsonl",
                    "{\"text\": \"a\", \"part\": \"train\"}\n"
                    "{\"text\": \"b\", \"part\": \"valid\"}\n"
                    "{\"text\": \"c\", \"part\": \"test\"}\n");
  DataOptions options;
  options.train = folder / "own.jsonl";
  options.reader = Choice<RecordReader>("json_lines");
  options.by_field = "part";
  const Splits splits = load_splits(options, {});
  CHECK(splits.texts("train") == Strings{"a"});
  CHECK(splits.texts("valid") == Strings{"b"});
  CHECK(splits.texts("test") == Strings{"c"});
  options.by_field.reset();
  CHECK_THROWS_WITH(load_splits(options, {}), Contains("too few to hold out any for data.valid"));
  write_file_synced(folder / "own.jsonl", "{\"text\": \"a\", \"part\": \"train\"}\n");
  options.by_field = "part";
  CHECK_THROWS_WITH(load_splits(options, {}),
                    Contains("has no usable record whose field 'part' is valid"));
}
