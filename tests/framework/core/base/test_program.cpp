#include "framework/core/base/program.h"

#include "framework/core/base/error.h"
#include "tests/catch.h"

using namespace lvtext;

TEST_CASE("program: output and exit code", "[program]") {
  const ProgramEnd end = run_program({"sh", "-c", "printf 'a b'; exit 3"});
  CHECK(end.code == 3);
  CHECK(end.output == "a b");
  CHECK(run_program({"sh", "-c", "kill -9 $$"}).code == 137);
  CHECK(run_program({"sh", "-c", "cat"}).output.empty());
  CHECK(run_program({"head", "-c", "100000", "/dev/zero"}).output.size() == 100000);
  CHECK_THROWS_AS(run_program({"no-such-program"}), DeviceError);
}

TEST_CASE("program: words for a shell", "[program]") {
  const std::vector<std::string> words = {"printf", "%s|", "plain=1", "a b", "it's", "$HOME", ""};
  CHECK(quoted_words({"a", "b c"}) == " a 'b c'");
  CHECK(run_program({"sh", "-c", "exec" + quoted_words(words)}).output ==
        "plain=1|a b|it's|$HOME||");
}
