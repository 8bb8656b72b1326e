// Generated chest radiographs. Expected values: an independent NumPy implementation of the same
// definition.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "framework/core/base/hash.h"
#include "framework/core/options/yaml.h"
#include "framework/core/sources/load_splits.h"
#include "framework/core/sources/split_mix.h"
#include "framework/core/sources/synthcxr.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

constexpr uint64_t kChestSeed = 1234;

Approx near(double value, double margin) {
  return Approx(value).margin(margin).epsilon(0);
}

std::vector<uint8_t> chest_bytes(uint64_t patient, int64_t size) {
  return image_bytes(chest_image(chest_scene(kChestSeed, patient), size, kChestSeed, patient));
}

/// SHA-256 of the images of patients from `first` up to `end`.
std::string chest_hash(uint64_t first, uint64_t end, int64_t size) {
  Sha256 hash;
  for (uint64_t patient = first; patient < end; ++patient) {
    const std::vector<uint8_t> bytes = chest_bytes(patient, size);
    hash.update(bytes.data(), bytes.size());
  }
  return hash.hex();
}

std::vector<std::string> chest_captions_of(uint64_t patient) {
  return chest_captions(chest_scene(kChestSeed, patient), kChestSeed, patient);
}

std::set<size_t> attributes_set(const ChestAttributes& attributes) {
  std::set<size_t> set;
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i]) set.insert(i);
  }
  return set;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("split mix: numbers of SplitMix64 and its streams", "[data]") {
  SplitMix64 zero(0), other(kChestSeed);
  for (const uint64_t expected : {0xe220a8397b1dcdafU, 0x6e789e6aa1b965f4U, 0x06c45d188009454fU}) {
    CHECK(zero.next() == expected);
  }
  for (const uint64_t expected : {0xbb0cf61b2f181cdbU, 0x97c7a1364df06524U, 0x33befae49bc025daU}) {
    CHECK(other.next() == expected);
  }
  CHECK(SplitMix64(kChestSeed, 0, RandomStream::kScene).next() == 0xf6f4a1ce0b4777d6U);
  SplitMix64 uniform(kChestSeed, 0, RandomStream::kScene);
  for (const double expected :
       {.9646702888524297, .8186909627539043, .42981481006899924, .17041918865821304}) {
    CHECK(uniform.uniform() == expected);
  }
}

TEST_CASE("synthcxr: scene of patient 0", "[data]") {
  const ChestScene scene = chest_scene(kChestSeed, 0);
  CHECK(scene.dx == near(.018586812, 1e-9));
  CHECK(scene.dy == near(.012747639, 1e-9));
  CHECK(scene.scale == near(.994385185, 1e-9));
  CHECK(scene.gain == near(.947267070, 1e-9));
  CHECK(scene.phase == near(1.882409017, 1e-9));
  CHECK(scene.heart == near(.111250775, 1e-9));
  REQUIRE(scene.findings.size() == 1);
  CHECK(scene.findings[0].kind == FindingKind::kEffusion);
  CHECK(scene.findings[0].side == Side::kRight);
  CHECK(scene.findings[0].dx == near(.006944258688, 1e-12));
  CHECK(scene.findings[0].dy == near(.002961526037, 1e-12));
}

TEST_CASE("synthcxr: pixels of three patients", "[data]") {
  struct Expected {
    uint64_t patient;
    int64_t size;
    double heart, clean_mean, first, second, noisy_mean, corner;
  };
  const auto [patient, size, heart, clean_mean, first, second, noisy_mean, corner] = GENERATE(
      Expected{0, 64, .111250775, .431111930, .201337176, .218239878, .430613322, .053324979},
      Expected{1, 64, .108558323, .483865368, .211956054, .212112518, .483734759, .046197385},
      Expected{7, 64, .174670343, .467473607, .196796373, .233188706, .467094369, .040907757});
  CAPTURE(patient);
  const ChestScene scene = chest_scene(kChestSeed, patient);
  CHECK(scene.heart == near(heart, 1e-9));
  const std::vector<double> clean = clean_chest_image(scene, size);
  CHECK(mean_of(clean) == near(clean_mean, 1e-9));
  CHECK(clean[32 * 64 + 17] == near(first, 1e-9));
  CHECK(clean[40 * 64 + 46] == near(second, 1e-9));
  const std::vector<double> noisy = chest_image(scene, size, kChestSeed, patient);
  CHECK(mean_of(noisy) == near(noisy_mean, 1e-9));
  CHECK(noisy[0] == near(corner, 1e-9));
}

TEST_CASE("synthcxr: a larger image shows the same scene", "[data]") {
  const ChestScene scene = chest_scene(kChestSeed, 1);
  CHECK(mean_of(clean_chest_image(scene, 256)) == near(.483835431, 1e-9));
  const std::vector<double> noisy = chest_image(scene, 256, kChestSeed, 1);
  CHECK(mean_of(noisy) == near(.483980538, 1e-9));
  CHECK(noisy[0] == near(.046197214, 1e-9));
  CHECK_THROWS_AS(clean_chest_image(scene, 32), std::logic_error);
}

TEST_CASE("synthcxr: bytes of images at three sizes", "[data]") {
  CHECK(chest_hash(0, 1, 64) == "94f502f23727f2e02d823efca5048afba23b0cf3b3f5fd76e361374bfcc722d8");
  CHECK(chest_hash(1, 2, 64) == "a07fed936232c10c142b885eebbc6e1ad93ae3315485ca3baba6eeeb8d3aa4c1");
  CHECK(chest_hash(7, 8, 64) == "bb5b9b69e78fd6027eea08a0673a243096639fc2083cfbc00f2b99abbeae1ae4");
  CHECK(chest_hash(0, 16, 64) ==
        "a354792eb84659063b4f56e8960d1b4eb2fe2efebaf842a92a2931a36729f8e5");
  CHECK(chest_hash(0, 16, 128) ==
        "b0831107347cca19d73613a94e9396d6bd0cc89d239457c35179d51b87f4f8fa");
  CHECK(chest_hash(0, 16, 256) ==
        "2a05eeef0682fc6d248e3e5e37143407d80f943788fe7f5a6ae8a2e2b033bb7a");
}

TEST_CASE("synthcxr: attributes of the first patients", "[data]") {
  const std::vector<std::set<size_t>> expected = {{13}, {2, 11}, {1, 2}, {},
                                                  {14}, {10},    {10},   {3, 14}};
  for (size_t patient = 0; patient < expected.size(); ++patient) {
    CHECK(attributes_set(attributes_of(chest_scene(kChestSeed, patient))) == expected[patient]);
  }
}

TEST_CASE("synthcxr: captions of two patients", "[data]") {
  using Captions = std::vector<std::string>;
  CHECK(chest_captions_of(0) ==
        Captions{"heart size is within normal limits the lungs are clear right sided pleural "
                 "effusion no evidence of pneumothorax",
                 "the lungs are clear no evidence of pneumothorax right sided pleural effusion",
                 "right sided pleural effusion no evidence of pneumothorax the lungs are clear "
                 "heart size is within normal limits",
                 "the lungs are clear right sided pleural effusion heart size is within normal "
                 "limits"});
  CHECK(
      chest_captions_of(1) ==
      Captions{"normal cardiac silhouette right lower zone nodule there is an opacity in the "
               "left mid zone no pneumothorax or pleural effusion",
               "there is an opacity in the left mid zone right lower zone nodule normal cardiac "
               "silhouette",
               "no pneumothorax or pleural effusion normal cardiac silhouette there is an opacity "
               "in the left mid zone right lower zone nodule",
               "normal cardiac silhouette there is an opacity in the left mid zone right lower "
               "zone nodule no pneumothorax or pleural effusion"});
}

TEST_CASE("synthcxr: captions and findings of 4,000 patients", "[data]") {
  struct Split {
    int64_t images = 0, normal = 0, captions = 0;
  };
  std::map<std::string, Split> splits;
  std::set<std::set<size_t>> different;
  Sha256 first, all;
  size_t longest = 0;
  for (uint64_t patient = 0; patient < 4000; ++patient) {
    const ChestScene scene = chest_scene(kChestSeed, patient);
    const auto captions = chest_captions(scene, kChestSeed, patient);
    Split& split = splits[patient < 400 ? "valid" : patient < 800 ? "test" : "train"];
    ++split.images;
    split.normal += scene.findings.empty();
    split.captions += std::ssize(captions);
    different.insert(attributes_set(attributes_of(scene)));
    for (const std::string& caption : captions) {
      all.update(caption + "\n");
      if (patient < 100) first.update(caption + "\n");
      longest = std::max(longest,
                         static_cast<size_t>(1 + std::count(caption.begin(), caption.end(), ' ')));
    }
  }
  CHECK(first.hex() == "57a420c88de1977a7e5293cc1b8a944214ba262de17fedc3a406de2895530bbe");
  CHECK(all.hex() == "a2bbdcc482abc3254e9b9f3dd461c56fa218677c1ae1a340f6e76b4c70454b0e");
  CHECK(longest == 30);
  CHECK(different.size() == 111);
  CHECK(splits["valid"].images == 400);
  CHECK(splits["test"].images == 400);
  CHECK(splits["train"].images == 3200);
  CHECK(splits["valid"].captions == 1600);
  CHECK(splits["test"].captions == 1600);
  CHECK(splits["train"].captions == 12799);
  CHECK(splits["valid"].normal == 140);   // 35.0 %
  CHECK(splits["test"].normal == 141);    // 35.25 %
  CHECK(splits["train"].normal == 1137);  // 35.53 %
}

TEST_CASE("synthcxr: features of patient 1", "[data]") {
  const ChestFeatures expected = {.257679, .340896, .511449, .588545, .251468,
                                  .324342, .225531, .270587, .223417, .265615,
                                  .322700, .718802, .347931, .270528, .263902};
  const ChestFeatures features =
      chest_features(chest_image(chest_scene(kChestSeed, 1), 64, kChestSeed, 1), 64);
  const ChestFeatures stored = chest_features(chest_bytes(1, 64), 64);
  for (size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(features[i] == near(expected[i], 1e-6));
    CHECK(stored[i] == near(expected[i], 0.5 / 255));
  }
  CHECK(attributes_set(read_chest(features).attributes) == std::set<size_t>{2, 11});
}

TEST_CASE("synthcxr: an image of 256 pixels is averaged before it is measured", "[data]") {
  for (uint64_t patient = 0; patient < 8; ++patient) {
    const ChestAttributes expected = attributes_of(chest_scene(kChestSeed, patient));
    CHECK(read_chest(chest_features(chest_bytes(patient, 256), 256)).attributes == expected);
  }
  // Every block of four pixels has the same mean as the pixel that it replaces.
  const std::vector<double> small = chest_image(chest_scene(kChestSeed, 1), 64, kChestSeed, 1);
  std::vector<double> large;
  for (size_t row = 0; row < 128; ++row) {
    for (size_t column = 0; column < 128; ++column) {
      large.push_back(small[row / 2 * 64 + column / 2] + (column % 2 == 0 ? .1 : -.1));
    }
  }
  const ChestFeatures expected = chest_features(small, 64), features = chest_features(large, 128);
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(features[i] == near(expected[i], 1e-12));
  }
}

TEST_CASE("synthcxr: findings are read from at least 99.5 % of 4,000 images", "[data]") {
  int64_t exact = 0;
  for (uint64_t patient = 0; patient < 4000; ++patient) {
    const ChestReading reading = read_chest(chest_features(chest_bytes(patient, 64), 64));
    exact += reading.attributes == attributes_of(chest_scene(kChestSeed, patient));
  }
  CHECK(exact >= 3980);
}

TEST_CASE("synthcxr: a feature within 0.02 of its threshold is close", "[data]") {
  // All zones at 0.2 but the first; the reference is 0.2.
  ChestFeatures features;
  features.fill(.2);
  CHECK(!read_chest(features).is_close);
  CHECK(read_chest(features).attributes == ChestAttributes{});
  features[1] = .2 + .30 + .021;  // maximum of a nodule
  CHECK(!read_chest(features).is_close);
  CHECK(attributes_set(read_chest(features).attributes) == std::set<size_t>{1});
  features[1] = .2 + .30 - .019;
  CHECK(read_chest(features).is_close);
  CHECK(read_chest(features).attributes == ChestAttributes{});
  features[0] = .2 + .16 + .03;  // an opacity: the maximum is not used
  CHECK(!read_chest(features).is_close);
  CHECK(attributes_set(read_chest(features).attributes) == std::set<size_t>{0});
  features[0] = .2 + .16 + .01;
  CHECK(read_chest(features).is_close);
  features[0] = .2;
  features[1] = .2;
  features[13] = .2 + .215 + .01;
  CHECK(read_chest(features).is_close);
  CHECK(attributes_set(read_chest(features).attributes) == std::set<size_t>{13});
  features[13] = .2;
  features[14] = .2 + .30 - .01;
  CHECK(read_chest(features).is_close);
}

TEST_CASE("synthcxr: the captions of a swapped pair have the same words", "[data]") {
  CHECK(swap_caption(0).text ==
        "the heart is normal in size left upper zone opacity left mid zone nodule no pleural "
        "effusion or pneumothorax");
  CHECK(swap_caption(1).text ==
        "the heart is normal in size left upper zone nodule left mid zone opacity no pleural "
        "effusion or pneumothorax");
  CHECK(attributes_set(swap_caption(0).attributes) == std::set<size_t>{0, 3});
  CHECK(attributes_set(swap_caption(1).attributes) == std::set<size_t>{1, 2});
  CHECK(attributes_set(swap_caption(29).attributes) == std::set<size_t>{9, 10});
  std::set<std::set<size_t>> different;
  for (size_t i = 0; i < kSwapCaptions; ++i) {
    different.insert(attributes_set(swap_caption(i).attributes));
  }
  CHECK(different.size() == kSwapCaptions);
}

TEST_CASE("synthcxr: the named set has the patients in the order valid, test, train", "[data]") {
  DataOptions options;
  options.set = "synthcxr";
  const auto records = load_splits(options, {}, {"data"}).records;
  CHECK(records.at("valid").rows.size() == 400);
  CHECK(records.at("test").rows.size() == 400);
  CHECK(records.at("train").rows.size() == 3200);
  CHECK(records.at("train").types.at("image").shape == std::vector<int64_t>{1, 64, 64});
  const auto check = [&](const std::string& split, size_t row, uint64_t patient) {
    const Record& record = records.at(split).rows.at(row);
    CHECK(record[0] == FieldValue(ImageBytes(chest_bytes(patient, 64))));
    CHECK(std::get<std::vector<std::string>>(record[1]) == chest_captions_of(patient));
    const ChestAttributes attributes = attributes_of(chest_scene(kChestSeed, patient));
    CHECK(std::get<std::vector<float>>(record[2]) ==
          std::vector<float>(attributes.begin(), attributes.end()));
  };
  check("valid", 7, 7);
  check("test", 0, 400);
  check("train", 3199, 3999);
}

TEST_CASE("synthcxr: the size must be a multiple of 64", "[data]") {
  CHECK_THROWS_WITH(Choice<RecordReader>("synthcxr", parse_yaml_or_throw("{size: 96}")),
                    Contains("size: must be a multiple of 64"));
  const Choice<RecordReader> large("synthcxr", parse_yaml_or_throw("{size: 128}"));
  CHECK(std::get<ImageBytes>(large->draw(kChestSeed, 3)[0]).bytes().size() == 128 * 128);
}

TEST_CASE("synthcxr: the set of swapped captions has a test split alone", "[data]") {
  DataOptions options;
  options.set = "synthcxr-swaps";
  CHECK(split_names(options, {"data"}) == std::vector<std::string>{"test"});
  const auto records = load_splits(options, {}, {"data"}).records;
  REQUIRE(records.size() == 1);
  const Records& test = records.at("test");
  REQUIRE(test.rows.size() == kSwapCaptions);
  CHECK(std::get<std::vector<std::string>>(test.rows[3][0]) ==
        std::vector<std::string>{swap_caption(3).text});
}

TEST_CASE("synthcxr: records of a generator with options of the recipe", "[data]") {
  DataOptions options;
  options.reader = Choice<RecordReader>("synthcxr", parse_yaml_or_throw("{size: 128}"));
  options.draws = Draws{1234, {{"train", 5}, {"valid", 2}, {"test", 1}, {"more", 1}}};
  CHECK(split_names(options) == std::vector<std::string>{"train", "valid", "test", "more"});
  CHECK(describe_records(options).types.at("image").shape == std::vector<int64_t>{1, 128, 128});
  const auto records = load_splits(options, {}).records;
  CHECK(records.at("train").rows.size() == 5);
  CHECK(std::get<std::vector<std::string>>(records.at("more").rows[0][1]) == chest_captions_of(3));
  CHECK(std::get<std::vector<std::string>>(records.at("train").rows[4][1]) == chest_captions_of(8));
  const auto print = data_fingerprint(options);
  CHECK(print.at("set") == "synthcxr");
  const auto changed = [&](const auto& change) {
    DataOptions other = options;
    change(other);
    return data_fingerprint(other) != print;
  };
  CHECK(changed([](DataOptions& other) { other.draws->records["train"] = 6; }));
  CHECK(changed([](DataOptions& other) { other.draws->seed = 1; }));
  CHECK(changed([](DataOptions& other) { other.reader = Choice<RecordReader>("synthcxr"); }));
  CHECK(!changed([](DataOptions& other) { other.set = "nli"; }));
}

TEST_CASE("synthcxr: mistakes of a generator in a recipe", "[data]") {
  const auto mistakes = [](const DataOptions& options) {
    std::string all;
    for (const DataMistake& each : data_mistakes(options, {"data"})) {
      all += each.key + ": " + each.message + "; " + each.hint + "\n";
    }
    return all;
  };
  DataOptions options;
  options.reader = Choice<RecordReader>("synthcxr");
  CHECK_THAT(mistakes(options), Contains("reader: 'synthcxr' generates records, whose number is "
                                         "missing; add draws: {records:"));
  options.draws = Draws{};
  CHECK_THAT(mistakes(options), Contains("draws: the numbers of records are missing"));
  options.draws->records = {{"train", 3}};
  CHECK(mistakes(options).empty());
  options.draws->records["A b"] = 3;
  CHECK_THAT(mistakes(options), Contains("draws.records.A b: cannot name a split 'A b'"));
  options.draws->records = {{"train", 3}};
  options.by_field = "captions";
  CHECK_THAT(mistakes(options), Contains("by_field: 'synthcxr' is generated"));
  options.by_field.reset();
  options.reader = Choice<RecordReader>("lines");
  CHECK_THAT(mistakes(options), Contains("reader: 'lines' reads files and generates no records"));
  CHECK_THROWS_WITH(parse_options_or_throw<DataOptions>(
                        parse_yaml_or_throw("{train: a, draws: {records: {train: 1}}}")),
                    Contains("data.train and data.draws exclude each other"));
}
