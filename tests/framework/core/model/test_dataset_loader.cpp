// Batches of datasets: joined, parallel, in every order, with ragged columns.
#include "framework/core/model/dataset_loader.h"

#include <ATen/ATen.h>

#include <functional>
#include <set>

#include "framework/core/base/error.h"
#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/text/tokenizer.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

namespace {

const Vocabulary kWords{.size = 50, .bos = 1, .eos = 2, .pad = 0, .unk = 3};

/// The tokens of row `row`: 1 to 9 tokens of value `first` + row % 20.
std::vector<int32_t> sentence(int64_t row, int32_t first) {
  return std::vector<int32_t>(1 + mix_bits(3, row, first) % 9,
                              first + static_cast<int32_t>(row % 20));
}

Dataset texts(const std::filesystem::path& file, int64_t count, int32_t first = 4) {
  std::vector<std::vector<int32_t>> sentences;
  for (int64_t row = 0; row < count; ++row) sentences.push_back(sentence(row, first));
  write_text_dataset(file, sentences, kWords);
  return Dataset(file);
}

/// Vectors [row, -row], labels row % 3 and images of the row's index.
Dataset values(const std::filesystem::path& file, int64_t count) {
  DatasetWriter writer(file, {{.name = "vector", .kind = ColumnKind::kVector, .shape = {2}},
                              {.name = "label", .kind = ColumnKind::kLabel, .classes = 3},
                              {.name = "image", .kind = ColumnKind::kImage, .shape = {1, 1, 2}},
                              {.name = "score", .kind = ColumnKind::kNumber}});
  for (int32_t row = 0; row < count; ++row) {
    const auto number = static_cast<float>(row);
    const auto pixel = static_cast<uint8_t>(row);
    writer.add_numbers(0, std::vector<float>{number, -number});
    writer.add_label(1, row % 3);
    writer.add_image(2, std::vector<uint8_t>{pixel, 7});
    writer.add_numbers(3, std::vector<float>{number / 2});
    writer.end_row();
  }
  writer.finish();
  return Dataset(file);
}

/// Images with 1 to 5 captions, which are the tokens {5 + caption}, and a vector for each caption.
Dataset captions(const std::filesystem::path& file, int64_t count) {
  DatasetWriter writer(
      file, {{.name = "caption", .vocabulary = kWords, .ragged = true},
             {.name = "vector", .kind = ColumnKind::kVector, .shape = {1}, .ragged = true},
             {.name = "image", .kind = ColumnKind::kImage, .shape = {1, 1, 1}}});
  for (int64_t row = 0; row < count; ++row) {
    for (int32_t caption = 0; caption < 1 + row % 5; ++caption) {
      writer.add_text(0, std::vector<int32_t>{5 + caption});
      writer.add_numbers(1, std::vector<float>{static_cast<float>(caption)});
    }
    writer.add_image(2, std::vector<uint8_t>{static_cast<uint8_t>(row)});
    writer.end_row();
  }
  writer.finish();
  return Dataset(file);
}

/// Bytes as tokens without special ids.
class Bytes : public Tokenizer {
 public:
  TokenIds encode(std::string_view text) const override {
    TokenIds ids;
    for (const char c : text) ids.push_back(static_cast<uint8_t>(c));
    return ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    return {ids.begin(), ids.end()};
  }
  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::optional<bool> begins_word(int32_t) const override { return std::nullopt; }
  const std::string& sha256() const override { return sha256_; }

 private:
  Vocabulary vocabulary_{.size = 256};
  std::string sha256_ = "bytes";
};

void check_equal(const Batch& one, const Batch& two) {
  CHECK(at::equal(one.example_ids, two.example_ids));
  REQUIRE(one.fields.size() == two.fields.size());
  for (const auto& [name, value] : one.fields) {
    INFO(name);
    CHECK(at::equal(value, two.field(name)));
  }
}

}  // namespace

TEST_CASE("dataset stream: a batch depends only on seed, epoch and index, for every kind",
          "[model]") {
  const TemporaryFolder folder;
  const Dataset text = texts(folder / "text", 103);
  const Dataset other = texts(folder / "other", 70, 24);
  const Dataset joined = Dataset::join({text, values(folder / "values", 103)});
  const Dataset ragged = captions(folder / "captions", 103);
  const std::vector<std::vector<Dataset>> kinds = {{text}, {joined}, {ragged}, {text, other}};
  for (const auto& sides : kinds) {
    for (const Order order :
         {Order::kBucketed, Order::kRandom, Order::kConsecutive, Order::kSequential}) {
      const BatchOptions options{.order = order, .size = 8, .seed = 5};
      const DatasetLoader through(sides, options);
      std::vector<std::vector<Batch>> batches;
      for (int64_t epoch = 0; epoch < 3; ++epoch) {
        auto& own = batches.emplace_back();
        for (int64_t index = 0; index < through.batches(epoch); ++index) {
          own.push_back(through.batch(epoch, index));
        }
      }
      // As after resuming: another stream, whose first batch is in the middle of an epoch.
      const DatasetLoader resumed(sides, options);
      for (const auto& [epoch, index] : {std::pair{2, 7}, {0, 3}, {2, 8}, {1, 0}}) {
        check_equal(resumed.batch(epoch, index), batches[epoch][index]);
      }
      BatchOptions seeded = options;
      seeded.seed = 6;
      const DatasetLoader another(sides, seeded);
      const bool same = at::equal(another.batch(1, 0).example_ids, batches[1][0].example_ids);
      CHECK(same == (order == Order::kSequential));
    }
  }
}

TEST_CASE("dataset stream: a text is joined with its vectors, labels and images", "[model]") {
  const TemporaryFolder folder;
  const Dataset joined = Dataset::join({texts(folder / "t", 30), values(folder / "v", 30)});
  const DatasetLoader stream(joined, {.size = 8});
  std::set<int64_t> seen;
  for (int64_t index = 0; index < stream.batches(0); ++index) {
    const Batch batch = stream.batch(0, index);
    const Tokens tokens = batch.tokens();
    CHECK(batch.field("vector").scalar_type() == at::kFloat);
    CHECK(batch.field("image").scalar_type() == at::kByte);
    CHECK(batch.field("image").sizes() == at::IntArrayRef({batch.rows(), 1, 1, 2}));
    for (int64_t i = 0; i < batch.rows(); ++i) {
      const auto row = batch.example_ids[i].item<int64_t>();
      seen.insert(row);
      const std::vector<int32_t> ids = sentence(row, 4);
      REQUIRE(tokens.lengths[i].item<int64_t>() == std::ssize(ids));
      for (size_t t = 0; t < ids.size(); ++t) CHECK(tokens.ids[i][t].item<int64_t>() == ids[t]);
      CHECK(batch.field("vector")[i][1].item<double>() == static_cast<double>(-row));
      CHECK(batch.field("label")[i].item<int64_t>() == row % 3);
      CHECK(batch.field("image")[i][0][0][0].item<int64_t>() == row);
      CHECK(batch.field("score")[i].item<double>() == static_cast<double>(row) / 2);
    }
  }
  CHECK(seen.size() == 30);
}

TEST_CASE("dataset stream: two parallel sets, the shorter repeated, grouped by length", "[model]") {
  const TemporaryFolder folder;
  const Dataset many = texts(folder / "many", 1000), few = texts(folder / "few", 300, 24);
  const DatasetLoader stream({few, many}, {.size = 16});
  std::set<int64_t> twice;  // rows of the short side that occur four times, by epoch
  for (const int64_t epoch : {0, 1}) {
    std::map<int64_t, int> rows_of_few, rows_of_many;
    std::set<int64_t> examples;
    int64_t padded = 0, real = 0, rows = 0;
    for (int64_t index = 0; index < stream.batches(epoch); ++index) {
      const Batch batch = stream.batch(epoch, index);
      CHECK(batch.rows() <= 16);  // on each side
      rows += batch.rows();
      for (int64_t i = 0; i < batch.rows(); ++i) {
        examples.insert(batch.example_ids[i].item<int64_t>());
        ++rows_of_few[batch.example_ids[i].item<int64_t>() % 300];
        CHECK(batch.tokens("text_0").ids[i][0].item<int64_t>() >= 24);
        CHECK(batch.tokens("text_1").ids[i][0].item<int64_t>() < 24);
      }
      for (const char* field : {"text_0", "text_1"}) {
        padded += batch.field(field).numel();
        real += batch.tokens(field).lengths.sum().item<int64_t>();
      }
      const int64_t longer = std::max(batch.field("text_0").size(1), batch.field("text_1").size(1));
      const int64_t shorter =
          std::min(batch.field("text_0").size(1), batch.field("text_1").size(1));
      CHECK(longer - shorter <= 2);
    }
    CHECK(rows == 1000);
    CHECK(examples.size() == 1000);
    CHECK(static_cast<double>(real) > 0.95 * static_cast<double>(padded));
    CHECK(rows_of_few.size() == 300);
    for (const auto& [row, times] : rows_of_few) CHECK((times == 3 || times == 4));
    twice.insert(std::find_if(rows_of_few.begin(), rows_of_few.end(), [](const auto& each) {
                   return each.second == 4;
                 })->first);
  }
  CHECK(twice.size() == 2);  // the repeated rows differ between epochs
}

TEST_CASE("dataset stream: one of several captions, chosen by seed, epoch and example", "[model]") {
  const TemporaryFolder folder;
  const Dataset dataset = captions(folder / "captions", 100);
  const auto chosen = [&](int64_t seed, int64_t epoch, int64_t size) {
    const DatasetLoader stream(dataset, {.order = Order::kRandom, .size = size, .seed = seed});
    std::map<int64_t, int64_t> captions_of;
    for (int64_t index = 0; index < stream.batches(epoch); ++index) {
      const Batch batch = stream.batch(epoch, index);
      for (int64_t i = 0; i < batch.rows(); ++i) {
        const auto caption = batch.field("caption")[i][0].item<int64_t>() - 5;
        const auto row = batch.field("image")[i].item<int64_t>();
        CHECK(caption == batch.field("vector")[i][0].item<int64_t>());  // of one caption
        CHECK(caption <= row % 5);
        captions_of[row] = caption;
      }
    }
    return captions_of;
  };
  CHECK(chosen(1, 0, 8) == chosen(1, 0, 32));  // independent of the batch of an example
  CHECK(chosen(1, 0, 8) != chosen(1, 1, 8));
  CHECK(chosen(1, 0, 8) != chosen(2, 0, 8));
  std::vector<int> counts(5);
  for (int64_t epoch = 0; epoch < 50; ++epoch) {
    for (const auto& [row, caption] : chosen(1, epoch, 100)) counts[caption] += row % 5 == 4;
  }
  for (const int count : counts) CHECK(std::abs(count - 200) < 60);  // standard deviation 12.6

  DatasetWriter writer(folder / "empty", {{.vocabulary = kWords, .ragged = true}});
  writer.end_row();
  writer.finish();
  CHECK_THROWS_WITH(DatasetLoader(Dataset(folder / "empty"), BatchOptions{}),
                    Contains("'text' has no item in row 1"));
}

TEST_CASE("dataset stream: text of a tokenizer without BOS, EOS and padding", "[model]") {
  const TemporaryFolder folder;
  const Bytes bytes;
  const std::vector<std::string> lines = {"caf\xc3\xa9", "", std::string(1, '\0') + "a"};
  std::vector<std::vector<int32_t>> sentences;
  for (const auto& line : lines) sentences.push_back(bytes.encode(line));
  write_text_dataset(folder / "bytes", sentences, bytes.vocabulary());
  const Dataset dataset(folder / "bytes");
  const Vocabulary& vocabulary = dataset.column("text").decl().vocabulary;
  CHECK(vocabulary == Vocabulary{.size = 256});
  CHECK_FALSE(vocabulary.bos);
  const Batch batch = DatasetLoader(dataset, {.order = Order::kSequential}).batch(0, 0);
  const Tokens tokens = batch.tokens();
  CHECK(tokens.ids.size(1) == 5);
  for (int64_t row = 0; row < 3; ++row) {
    const auto length = tokens.lengths[row].item<int64_t>();
    TokenIds ids;
    for (int64_t t = 0; t < length; ++t) ids.push_back(tokens.ids[row][t].item<int32_t>());
    CHECK(bytes.decode(ids) == lines[row]);
  }
}
