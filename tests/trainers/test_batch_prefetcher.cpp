// A resumed training gets the same batches as an uninterrupted one.
#include "trainers/batch_prefetcher.h"

#include <ATen/ATen.h>

#include "framework/core/datasets/dataset_writer.h"
#include "framework/core/model/dataset_loader.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace lvtext;

TEST_CASE("prefetcher: resuming in the middle of an epoch, for streams of every kind",
          "[trainers]") {
  const TemporaryFolder folder;
  const Vocabulary words{.size = 90};
  DatasetWriter writer(folder / "captions",
                       {{.name = "caption", .vocabulary = words, .ragged = true},
                        {.name = "vector", .kind = ColumnKind::kVector, .shape = {1}}});
  std::vector<std::vector<int32_t>> sentences;
  for (int32_t row = 0; row < 53; ++row) {
    for (int32_t item = 0; item <= row % 4; ++item) {
      writer.add_text(0, std::vector<int32_t>(1 + (row + item) % 7, row));
    }
    writer.add_numbers(1, std::vector<float>{static_cast<float>(row)});
    writer.end_row();
    sentences.emplace_back(row % 9, row);
  }
  writer.finish();
  write_text_dataset(folder / "text", sentences, words);
  sentences.resize(20);
  write_text_dataset(folder / "short", sentences, words);
  const Dataset captions(folder / "captions"), text(folder / "text"), few(folder / "short");
  const std::vector<std::vector<Dataset>> kinds = {
      {text}, {captions}, {Dataset::join({text, captions})}, {few, text}};
  for (const auto& sides : kinds) {
    for (const Order order :
         {Order::kBucketed, Order::kRandom, Order::kConsecutive, Order::kSequential}) {
      const auto stream = std::make_shared<DatasetLoader>(
          sides, BatchOptions{.order = order, .size = 4, .seed = 7});
      BatchPrefetcher through(stream);
      for (int batch = 0; batch < 18; ++batch) through.next();  // the epochs have 14 batches
      BatchPrefetcher resumed(std::make_shared<DatasetLoader>(
                                  sides, BatchOptions{.order = order, .size = 4, .seed = 7}),
                              through.cursor());
      REQUIRE(through.cursor() == Cursor{1, 4});
      for (int batch = 0; batch < 14; ++batch) {
        const Batch expected = through.next(), got = resumed.next();
        CHECK(at::equal(expected.example_ids, got.example_ids));
        for (const auto& [name, value] : expected.fields) {
          INFO(name);
          CHECK(at::equal(value, got.field(name)));
        }
      }
      CHECK(resumed.cursor() == through.cursor());
    }
  }
}
