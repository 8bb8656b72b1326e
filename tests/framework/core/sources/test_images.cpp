// Decoding and resizing. The fixtures were written, and their pixels read and resized, by Pillow.
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
