// Tokenizers by name: load() reads the output of fit().
#include "framework/core/text/tokenizer_fit.h"

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/options/yaml.h"
#include "framework/core/text/tokenizer_options.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

const std::vector<std::string> kTexts = {"the cat sat", "the dog sat on the cat", "a dog",
                                         "Rain on the cat and the dog"};

Choice<TokenizerFit> chosen(const std::string& name, const std::string& options) {
  return Choice<TokenizerFit>(name, parse_yaml_or_throw(options));
}

/// Ids of a text by a tokenizer that is fitted, saved and loaded.
TokenIds ids_of(const Choice<TokenizerFit>& fit, const std::string& text) {
  const TemporaryFolder folder;
  const GivenFile file = fit->given_file();
  const FittedTokenizer fitted =
      file.empty() ? fit->fit(kTexts, folder.path) : fit->read(file.path, folder.path);
  CHECK(fitted.files.size() == 1);
  CHECK(std::filesystem::exists(folder.path / fitted.files.front()));
  // Only by name, as in the manifest of a finished run.
  Errors not_reported;
  const auto reader =
      TokenizerFit::components().get(fit.name()).read(Node::mapping({}), not_reported, "");
  return reader->load(folder.path)->encode(text);
}

}  // namespace

TEST_CASE("tokenizers: each loads its own output", "[text]") {
  CHECK(ids_of(chosen("unigram", "vocab: 30"), "the cat").size() >= 2);
  CHECK(ids_of(chosen("bpe", "vocab: 30"), "the cat").size() >= 2);
  CHECK(ids_of(chosen("char", "vocab: 60"), "the cat").size() == 8);  // one blank is before "the"
  CHECK(ids_of(chosen("words", "lowercase: true"), "THE cat") == TokenIds{4, 5});
  CHECK(ids_of(chosen("words", "most: 1"), "the cat") == TokenIds{4});
}

TEST_CASE("tokenizers: words of a file, with their vectors", "[text]") {
  const TemporaryFolder folder;
  write_file_synced(folder / "vectors.txt", "sat 1 2\ncat 3 4\nthe 5 6\n");
  const auto fit =
      chosen("word_vectors", "{file: " + (folder / "vectors.txt").string() + ", most: 2}");
  CHECK(fit->given_file().path == folder / "vectors.txt");
  CHECK(fit->vector_width() == 2);
  CHECK(ids_of(fit, "the cat sat") == TokenIds{5, 4});
  const TemporaryFolder out;
  CHECK(fit->read(folder / "vectors.txt", out.path).vectors.values ==
        std::vector<float>{1, 2, 3, 4});
  CHECK(chosen("words", "{}")->vector_width() == 0);
}

TEST_CASE("tokenizers: errors are named", "[text]") {
  CHECK_THROWS_WITH(chosen("unigramm", "{}"), Contains("did you mean 'unigram'"));
  CHECK_THROWS_WITH(chosen("word_vectors", "{}"), Contains("'file'"));
  CHECK_THROWS_WITH(chosen("words", "vocab: 3"), Contains("vocab"));
}
