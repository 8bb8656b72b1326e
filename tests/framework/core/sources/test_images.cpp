// Decoding and resizing. The fixtures were written, and their pixels read and resized, by Pillow.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "framework/core/base/error.h"
#include "framework/core/base/files.h"
#include "framework/core/sources/images/decode.h"
#include "framework/core/sources/images/resize.h"
#include "tests/catch.h"

using namespace lvtext;

namespace {

const std::string kFolder = "tests/framework/core/sources/images/";

Image decoded(const std::string& name) {
  return decode_image(read_file(kFolder + name), "'" + name + "'");
}

const nlohmann::json& goldens() {
  static const auto all = nlohmann::json::parse(read_file(kFolder + "images.json"));
  return all;
}

Image golden(const std::string& name) {
  const auto& json = goldens().at(name);
  const auto shape = json.at("shape").get<std::vector<int64_t>>();
  return {shape[0], shape[1], shape[2], json.at("bytes").get<std::vector<uint8_t>>()};
}

}  // namespace

TEST_CASE("images: PNG and JPEG files have Pillow's pixels", "[data]") {
  for (const auto& [name, json] : goldens().items()) {
    INFO(name);
    if (name.find(' ') == name.npos) CHECK(decoded(name) == golden(name));
  }
}

TEST_CASE("images: files that cannot be read are named with the reason", "[data]") {
  const auto refused = [](const std::string& file, const char* why) {
    CHECK_THROWS_WITH(decode_image(file, "'x.png'"), Contains("'x.png'") && Contains(why));
  };
  refused(read_file(kFolder + "transparent.png"), "transparent pixels");
  refused(read_file(kFolder + "cmyk.jpg"), "4 components, such as CMYK");
  refused("", "is empty");
  refused("GIF89a", "neither a PNG nor a JPEG");
  for (const char* name : {"grey.png", "interlaced.png", "grey.jpg", "progressive.jpg"}) {
    const std::string whole = read_file(kFolder + name);
    // JPEG: the last two bytes are the end marker, which has no data.
    for (size_t length = 8; length + 3 < whole.size(); ++length) {
      INFO(name << " " << length);
      REQUIRE_THROWS_AS(decode_image(whole.substr(0, length), "x"), DataError);
    }
  }
  std::string damaged = read_file(kFolder + "rgb.png");
  damaged[damaged.size() / 2] ^= 1;
  refused(damaged, "cannot be decoded");
  std::string huge = read_file(kFolder + "grey.jpg");
  const size_t frame = huge.find("\xff\xc0");
  huge.replace(frame + 5, 4, "\x7f\xff\x7f\xff");
  refused(huge, "32767x32767 pixels, more than is decoded");
}

TEST_CASE("images: resizing equals Pillow's BILINEAR", "[data]") {
  int cases = 0;
  for (const auto& [name, json] : goldens().items()) {
    const size_t blank = name.find(' ');
    if (blank == name.npos || name.starts_with("luma")) continue;
    const Image expected = golden(name);
    INFO(name);
    CHECK(resize(decoded(name.substr(0, blank)), expected.rows, expected.columns) == expected);
    ++cases;
  }
  CHECK(cases == 4);
  const Image grey = decoded("grey.png");
  CHECK(resize(grey, grey.rows, grey.columns) == grey);
}

TEST_CASE("images: channels, crop and size", "[data]") {
  const Image grey = decoded("grey.png"), rgb = decoded("rgb.png");
  CHECK(with_channels(rgb, 1) == golden("luma of rgb.png"));
  CHECK(with_channels(with_channels(grey, 3), 1) == grey);
  CHECK(with_channels(rgb, 3) == rgb);
  const Image square = center_square(rgb);
  CHECK(square.rows == 5);
  CHECK(square.columns == 5);
  CHECK(square.bytes[0] == rgb.bytes[1]);
  CHECK(square.bytes[2 * 25 + 24] == rgb.bytes[2 * 35 + 4 * 7 + 5]);
  const Image tall{1, 4, 1, {1, 2, 3, 4}};
  CHECK(center_square(tall).bytes == std::vector<uint8_t>{2});
  CHECK(fit_image(rgb, {.size = 2, .channels = 1}, "x").bytes.size() == 4);
  CHECK_THROWS_WITH(fit_image(rgb, {.crop = Crop::kNone}, "'x.png'"),
                    Contains("'x.png' has 5 rows and 7 columns and is not square"));
}

// tests/peers/images.py: the folder LVTEXT_PEER_IMAGES has `list`, a line "channels rows columns
// size file" for each image, and `pixels`, for each the decoded and the resized bytes.
TEST_CASE("images: radiographs have the pixels of a reference", "[.peer]") {
  const char* name = std::getenv("LVTEXT_PEER_IMAGES");
  REQUIRE(name != nullptr);
  const std::filesystem::path folder = name;
  std::ifstream lines(folder / "list"), pixels(folder / "pixels", std::ios::binary);
  const auto read = [&](int64_t channels, int64_t rows, int64_t columns) {
    Image image{channels, rows, columns};
    image.bytes.resize(static_cast<size_t>(channels * rows * columns));
    pixels.read(reinterpret_cast<char*>(image.bytes.data()),
                static_cast<std::streamsize>(image.bytes.size()));
    REQUIRE(pixels.good());
    return image;
  };
  int64_t images = 0, resized = 0, other = 0;
  int largest = 0;
  std::string file;
  for (int64_t channels = 0, rows = 0, columns = 0, size = 0;
       lines >> channels >> rows >> columns >> size && std::getline(lines >> std::ws, file);) {
    INFO(file);
    const Image image = decode_image(read_file(file), file);
    const Image peer = read(channels, rows, columns);
    CHECK(image == peer);
    const Image expected = read(channels, size, size), ours = resize(image, size, size);
    REQUIRE(ours.bytes.size() == expected.bytes.size());
    for (size_t i = 0; i < ours.bytes.size(); ++i) {
      const int difference = std::abs(int{ours.bytes[i]} - int{expected.bytes[i]});
      largest = std::max(largest, difference);
      other += difference != 0;
    }
    resized += static_cast<int64_t>(ours.bytes.size());
    ++images;
  }
  REQUIRE(images > 0);
  CHECK(largest <= 1);
  WARN(images << " images; " << other << " of " << resized << " resized bytes differ, by at most "
              << largest);
}
