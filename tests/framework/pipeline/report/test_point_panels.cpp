#include "framework/pipeline/report/point_panels.h"

#include <zlib.h>

#include "framework/core/base/files.h"
#include "framework/pipeline/report/png.h"
#include "framework/pipeline/report/report.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "tests/text.h"

using namespace lvtext;

namespace {

uint32_t number_at(const std::string& bytes, size_t at) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<uint8_t>(bytes.at(at + i));
  return number;
}

/// Names of a PNG's chunks in order, and data of the named chunk; verifies all checksums.
std::string chunk_of(const std::string& png, const std::string& expected, std::string* names) {
  std::string found;
  for (size_t at = 8; at < png.size();) {
    const uint32_t size = number_at(png, at);
    const std::string body = png.substr(at + 4, size + 4);
    REQUIRE(body.size() == size + 4);
    CHECK(number_at(png, at + 8 + size) ==
          crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
    *names += body.substr(0, 4) + " ";
    if (body.starts_with(expected)) found = body.substr(4);
    at += 12 + size;
  }
  return found;
}

/// Two sentences in one panel, and a panel without points.
PointPanels small_figure() {
  PointPanels figure;
  figure.title = "Figure <1>";
  figure.legend = {{42, "a & b"}, {7, "second"}};
  figure.panels = {
      {"ae", "AE <x>", "", {{0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0.5, 0}, {1, 0, 10, 5, 10, 5}}},
      {"aae", "AAE", "the model aae is not built yet, which takes more than one line", {}}};
  return figure;
}

}  // namespace

TEST_CASE("png: the file holds the pixels", "[report]") {
  Picture picture{5, 3, std::vector<uint8_t>(45, 255)};
  for (const size_t pixel : {0, 14}) {  // first and last
    picture.rgb[3 * pixel] = 10, picture.rgb[3 * pixel + 1] = 20, picture.rgb[3 * pixel + 2] = 30;
  }
  std::string names;
  const std::string png = png_of(picture);
  CHECK(png.starts_with("\x89PNG\r\n\x1a\n"));
  const std::string header = chunk_of(png, "IHDR", &names);
  CHECK(names == "IHDR IDAT IEND ");
  CHECK(number_at(header, 0) == 5);
  CHECK(number_at(header, 4) == 3);
  CHECK(header.substr(8) == std::string("\x08\x02\x00\x00\x00", 5));
  const std::string packed = chunk_of(png, "IDAT", &names);
  std::string rows(3 * (1 + 5 * 3), '\0');
  uLongf size = rows.size();
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                     reinterpret_cast<const Bytef*>(packed.data()), packed.size()) == Z_OK);
  REQUIRE(size == rows.size());
  CHECK(rows.substr(0, 4) == std::string("\0\x0a\x14\x1e", 4));   // first row, first pixel
  CHECK(rows.substr(16 + 4, 3) == std::string("\xff\xff\xff"));   // second row, second pixel
  CHECK(rows.substr(32 + 13, 3) == std::string("\x0a\x14\x1e"));  // third row, last pixel
}

TEST_CASE("png: base 64 as in RFC 4648", "[report]") {
  const std::vector<std::pair<std::string, std::string>> vectors = {{"", ""},
                                                                    {"f", "Zg=="},
                                                                    {"fo", "Zm8="},
                                                                    {"foo", "Zm9v"},
                                                                    {"foob", "Zm9vYg=="},
                                                                    {"fooba", "Zm9vYmE="},
                                                                    {"foobar", "Zm9vYmFy"},
                                                                    {"\xff\xfe", "//4="}};
  for (const auto& [bytes, text] : vectors) CHECK(base64(bytes) == text);
}

TEST_CASE("figure: a panel has a dot for each draw and a number for each sentence", "[report]") {
  const std::string svg = panel_svg(small_figure(), 0);
  CHECK(contains(svg, ">(a) AE &lt;x&gt;</text>"));
  // The range of x is 10, so 292 pixels are 10 units; y is centered.
  CHECK(contains(svg, "<path class=\"dots k0\" d=\"M14.0 259.0h0M28.6 259.0h0\"/>"));
  CHECK(contains(svg, "<path class=\"dots k1\" d=\"M306.0 113.0h0\"/>"));
  CHECK(contains(svg, ">1</text>"));
  CHECK(contains(svg, ">2</text>"));
}

TEST_CASE("figure: a panel without points reports the reason", "[report]") {
  const std::string svg = panel_svg(small_figure(), 1);
  CHECK(contains(svg, ">the model aae is not built yet, which takes<"));
  CHECK(contains(svg, ">more than one line<"));
  CHECK_FALSE(contains(svg, "<path"));
}

TEST_CASE("figure: points that are all equal are in the middle", "[report]") {
  PointPanels figure = small_figure();
  figure.panels[0].points = {{0, 0, 3, 3, 3, 3}, {0, 1, 3, 3, 3, 3}};
  CHECK(contains(panel_svg(figure, 0), "d=\"M160.0 186.0h0M160.0 186.0h0\""));
}

TEST_CASE("figure: separate files, and the page itself", "[report]") {
  const TemporaryFolder folder;
  ReportData data;
  data.recipe = "paper/table";
  write_report(folder.path, data);
  CHECK_FALSE(contains(read_file(folder / "index.html"), "--k0"));
  data.figures = {draw_panels(small_figure(), "figure1-seed7")};
  data.samples = {{"Ways", "", {"row", "text"}, {{"a", "x, \"y\""}}, "ways.csv"},
                  {"Samples", "", {"row"}, {{"a"}}}};
  write_report(folder.path, data);
  CHECK(read_file(folder / "figure1-seed7.csv") ==
        "row,sentence_id,draw,x,y\nae,42,0,0,0\nae,42,1,0,0\nae,7,0,10,5\n");
  CHECK(read_file(folder / "ways.csv") == "row,text\na,\"x, \"\"y\"\"\"\n");
  const std::string svg = read_file(folder / "figure1-seed7.svg");
  CHECK(contains(svg, ">1  a &amp; b</text>"));
  CHECK(contains(svg, "prefers-color-scheme:dark"));
  const std::string page = read_file(folder / "index.html");
  CHECK(contains(page, "<h2>Figure &lt;1&gt;</h2>"));
  CHECK(contains(page, "a &amp; b</li>"));
  CHECK(contains(read_file(folder / "table.md"), "(figure1-seed7.svg)"));
}
