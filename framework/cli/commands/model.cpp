#include "framework/cli/commands/commands.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>

#include "framework/cli/flags.h"
#include "framework/cli/latent_text.h"
#include "framework/cli/open_run.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/text_source.h"
#include "framework/cli/unknown_words.h"
#include "framework/cli/values.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/files.h"
#include "framework/core/base/json.h"
#include "framework/core/base/log.h"
#include "framework/core/base/signals.h"
#include "framework/core/base/strings.h"
#include "framework/core/base/white_space.h"
#include "framework/core/decoding/policy_text.h"
#include "framework/pipeline/report/png.h"

namespace lvtext {
namespace {

using Json = nlohmann::ordered_json;
using Lines = std::vector<std::string>;

/// Number of lines processed together; input from a terminal is processed line by line.
constexpr size_t kChunk = 512;

struct ModelArguments {
  RunArguments run;
  DecodingArguments decoding;
  std::string input, output;
  std::string from, to;
  std::optional<int64_t> count;
  int64_t steps = VerbOptions{}.steps;
  std::string folder = ".";
  int64_t draws = VerbOptions{}.draws;
};

/// A text whose line breaks are written as "\n" and "\r", so that each result is one line.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      line += c == '\n' ? "\\n" : "\\r";
    } else {
      line += c;
    }
  }
  return line;
}

/// Prints results immediately as text, or at the end as one JSON document. An output file is
/// written when all results are finished.
class Results {
 public:
  Results(const ModelArguments& arguments, const Session& session)
      : output_(arguments.output), json_(session.json) {}

  /// `text` may have several lines.
  void add(const std::string& text, Json entry) {
    if (json_) {
      entries_.push_back(std::move(entry));
    } else if (output_.empty()) {
      print_data(text);
    } else {
      text_ += text + "\n";
    }
  }
  void flush() const {
    if (!json_ && output_.empty()) finish_printing();
  }
  void finish(const Json& head) {
    if (json_) {
      Json whole = head;
      whole["results"] = entries_;
      text_ = json_text(whole, 2) + "\n";
      if (output_.empty()) print_data(text_);
    }
    if (!output_.empty()) write_output_file(output_, text_);
  }

 private:
  std::string output_;
  bool json_;
  std::string text_;
  Json entries_ = Json::array();
};

Json head_of(const ModelVerbs& model, const std::string& verb, const VerbOptions& options,
             const std::string& precision) {
  Json head = {{"schema", "lvtext.text/1"},
               {"verb", verb},
               {"run", model.run().folder.filename().string()},
               {"identity", model.run().identity},
               {"model", model.run().model.component},
               {"step", model.run().model.step},
               {"precision", precision},
               {"seed", options.seed},
               {"policy", policy_text(model.policy(verb, options))}};
  if (verb != "encode") head["max_length"] = options.max_length;
  return head;
}

/// False if results are printed on a terminal, which shows the progress itself.
bool shows_progress(const ModelArguments& arguments) {
  return !arguments.output.empty() || ::isatty(STDOUT_FILENO) == 0;
}

/// Calls `work` with chunks of the input lines and the index of their first line. Stop requests
/// take effect between and within the calls.
void for_each_chunk(
    const ModelArguments& arguments, const char* prompt,
    const std::function<void(const Lines&, int64_t first, const TextSource&)>& work) {
  TextSource source(arguments.input, prompt);
  ProgressLine progress;
  int64_t done = 0;
  for (bool more = true; more;) {
    Lines lines;
    std::string line;
    const size_t requested = source.interactive() ? 1 : kChunk;
    while (lines.size() < requested && (more = source.next(line))) {
      if (source.interactive() && is_blank(line)) continue;
      lines.push_back(line);
    }
    if (lines.empty()) break;
    const StopSignals signals;
    work(lines, done, source);
    done += static_cast<int64_t>(lines.size());
    if (more && shows_progress(arguments)) progress.update(format_count(done, "line"));
    throw_if_stopped();
  }
}

ModelVerbs open_model(const ModelArguments& arguments, Session& session) {
  TrainedRun run = open_run(arguments.run, session);
  log_run(run);
  return {std::move(run), session.registries()};
}

/// Continues the lines of a text.
void complete(const ModelArguments& arguments, ModelVerbs model, const Session& session) {
  if (arguments.count) {
    throw UsageError(
        "--count is the number of sentences without --input; each line has one "
        "continuation");
  }
  model.require("complete");
  const VerbOptions options = arguments.decoding.options(model.run());
  Results results(arguments, session);
  for_each_chunk(arguments, "text> ", [&](const Lines& lines, int64_t first, const auto&) {
    for (size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].empty() || !model.only_completes()) continue;
      throw DataError("line " + std::to_string(first + static_cast<int64_t>(i) + 1) +
                      " is empty: a model of running text continues at least one token");
    }
    const Lines texts = model.complete(lines, first, options);
    for (size_t i = 0; i < texts.size(); ++i) {
      results.add(one_line(lines[i] + texts[i]), {{"input", lines[i]}, {"text", texts[i]}});
    }
    results.flush();
  });
  results.finish(head_of(model, "complete", options, arguments.run.precision));
}

void generate(const ModelArguments& arguments, Session& session) {
  ModelVerbs model = open_model(arguments, session);
  if (!arguments.input.empty() || model.only_completes()) {
    return complete(arguments, std::move(model), session);
  }
  const VerbOptions options = arguments.decoding.options(model.run());
  model.require("generate");
  Results results(arguments, session);
  const StopSignals signals;
  ProgressLine progress;
  const auto chunk = static_cast<int64_t>(kChunk);
  const int64_t all = arguments.count.value_or(10);
  for (int64_t first = 0; first < all; first += chunk) {
    const int64_t count = std::min(chunk, all - first);
    for (const auto& text : model.generate(first, count, options)) {
      results.add(one_line(text), {{"text", text}});
    }
    results.flush();
    if (first + count < all && shows_progress(arguments)) {
      progress.update(format_count(first + count) + "/" + format_count(all, "sentence"));
    }
  }
  results.finish(head_of(model, "generate", options, arguments.run.precision));
}

void reconstruct(const ModelArguments& arguments, Session& session) {
  ModelVerbs model = open_model(arguments, session);
  const VerbOptions options = arguments.decoding.options(model.run());
  model.require("reconstruct");
  Results results(arguments, session);
  for_each_chunk(arguments, "sentence> ", [&](const Lines& lines, int64_t first, const auto&) {
    const Lines texts = model.reconstruct(lines, first, options);
    for (size_t i = 0; i < texts.size(); ++i) {
      results.add(one_line(texts[i]), {{"input", lines[i]}, {"text", texts[i]}});
    }
    results.flush();
  });
  results.finish(head_of(model, "reconstruct", options, arguments.run.precision));
}

/// The styles of --from and --to.
StylePair styles_of(const ModelArguments& arguments, const ModelVerbs& model) {
  if (arguments.from.empty() && arguments.to.empty()) {
    throw UsageError("transfer requires --to STYLE; the styles are " + join(model.styles()));
  }
  std::optional<size_t> from, to;
  if (!arguments.from.empty()) from = model.style(arguments.from, "--from");
  if (!arguments.to.empty()) to = model.style(arguments.to, "--to");
  return model.style_pair(from, to);
}

void transfer(const ModelArguments& arguments, Session& session) {
  ModelVerbs model = open_model(arguments, session);
  const VerbOptions options = arguments.decoding.options(model.run());
  model.require("transfer");
  const StylePair styles = styles_of(arguments, model);
  Results results(arguments, session);
  UnknownWords unknown(*model.run().model.tokenizer);
  for_each_chunk(arguments, "sentence> ",
                 [&](const Lines& lines, int64_t first, const TextSource& source) {
                   unknown.add(lines);
                   if (source.interactive()) unknown.log();
                   const Lines texts = model.transfer(lines, styles, first, options);
                   for (size_t i = 0; i < texts.size(); ++i) {
                     results.add(one_line(texts[i]), {{"input", lines[i]}, {"text", texts[i]}});
                   }
                   results.flush();
                 });
  unknown.log();
  Json head = head_of(model, "transfer", options, arguments.run.precision);
  head["from"] = model.styles()[styles.from];
  head["to"] = model.styles()[styles.to];
  results.finish(head);
}

void interpolate(const ModelArguments& arguments, Session& session) {
  ModelVerbs model = open_model(arguments, session);
  VerbOptions options = arguments.decoding.options(model.run());
  options.steps = arguments.steps;
  model.require("interpolate");
  Results results(arguments, session);
  for_each_chunk(arguments, "A | B> ",
                 [&](const Lines& lines, int64_t first, const TextSource& source) {
                   for (size_t i = 0; i < lines.size(); ++i) {
                     const int64_t number = first + static_cast<int64_t>(i);
                     const auto [from, to] = two_sentences(lines[i], source.location(number + 1));
                     const Lines texts = model.interpolate(from, to, number, options);
                     // A blank line separates two pairs.
                     results.add((number > 0 ? "\n" : "") + join(texts, "\n"),
                                 {{"from", from}, {"to", to}, {"texts", texts}});
                   }
                   results.flush();
                 });
  Json head = head_of(model, "interpolate", options, arguments.run.precision);
  head["steps"] = options.steps;
  results.finish(head);
}

void encode(const ModelArguments& arguments, Session& session) {
  ModelVerbs model = open_model(arguments, session);
  const VerbOptions options = arguments.decoding.options(model.run());
  model.require("encode");
  Results results(arguments, session);
  for_each_chunk(arguments, "sentence> ", [&](const Lines& lines, int64_t first, const auto&) {
    const at::Tensor latents = model.encode(lines, first, options);
    for (size_t i = 0; i < lines.size(); ++i) {
      const at::Tensor latent = latents[static_cast<int64_t>(i)];
      results.add(latent_text(latent), {{"input", lines[i]}, {"latent", latent_values(latent)}});
    }
    results.flush();
  });
  results.finish(head_of(model, "encode", options, arguments.run.precision));
}

/// The image at `index`, bytes [C, S, S] with one or three channels.
Picture picture_of(const at::Tensor& images, int64_t index) {
  const at::Tensor rgb = images[index].expand({3, -1, -1}).permute({1, 2, 0}).contiguous();
  const auto* bytes = rgb.const_data_ptr<uint8_t>();
  return {
      static_cast<int>(rgb.size(1)), static_cast<int>(rgb.size(0)), {bytes, bytes + rgb.numel()}};
}

void draw(const ModelArguments& arguments, Session& session) {
  ModelVerbs model = open_model(arguments, session);
  VerbOptions options = arguments.decoding.options(model.run());
  options.draws = arguments.draws;
  model.require("draw");
  const std::filesystem::path folder = arguments.folder;
  ModelArguments shown = arguments;
  shown.output.clear();
  Results results(shown, session);
  for_each_chunk(arguments, "caption> ", [&](const Lines& lines, int64_t first, const auto&) {
    const at::Tensor images = model.draw(lines, first, options);
    std::filesystem::create_directories(folder);
    for (int64_t i = 0; i < images.size(0); ++i) {
      const int64_t line = i / options.draws, number = first + line + 1;
      const std::string of_caption =
          options.draws == 1 ? "" : "-" + std::to_string(i % options.draws + 1);
      const std::filesystem::path file = folder / (std::to_string(number) + of_caption + ".png");
      write_output_file(file.string(), png_of(picture_of(images, i)));
      results.add(file.string(), {{"input", lines[line]}, {"image", file.string()}});
    }
    results.flush();
  });
  results.finish({{"schema", "lvtext.text/1"},
                  {"verb", "draw"},
                  {"run", model.run().folder.filename().string()},
                  {"identity", model.run().identity},
                  {"model", model.run().model.component},
                  {"step", model.run().model.step},
                  {"precision", arguments.run.precision},
                  {"seed", options.seed}});
}

CLI::App* add_command(CLI::App& app, Session& session,
                      const std::shared_ptr<ModelArguments>& arguments, const char* name,
                      const char* help, void (*work)(const ModelArguments&, Session&)) {
  CLI::App* command = app.add_subcommand(name, help);
  add_run_arguments(*command, arguments->run, session);
  add_json(*command, session);
  command->callback([arguments, work, &session] {
    const PrecisionScope precision = arguments->run.precision_scope();
    work(*arguments, session);
  });
  return command;
}

void add_input(CLI::App& command, ModelArguments& arguments, const char* help) {
  command.add_option("--input", arguments.input, help)->type_name("FILE");
}

void add_output(CLI::App& command, ModelArguments& arguments) {
  writes_file(command
                  .add_option("--output", arguments.output,
                              "file for the results, written when all are finished")
                  ->type_name("FILE"));
}

}  // namespace

void add_model_commands(CLI::App& app, Session& session) {
  const auto arguments = std::make_shared<ModelArguments>();
  CLI::App* command = add_command(app, session, arguments, "generate",
                                  "generates sentences with a trained model", generate);
  add_output(*command, *arguments);
  add_input(*command, *arguments,
            "texts to continue, one per line; models of running text, which need a prompt, read "
            "standard input without it");
  command->add_option("--count", arguments->count, "number of sentences (default: 10)")
      ->check(whole_number(1, int64_t{1} << 40));
  add_decoding_arguments(*command, arguments->decoding);

  command =
      add_command(app, session, arguments, "reconstruct",
                  "encodes sentences with a trained model and decodes them again", reconstruct);
  add_output(*command, *arguments);
  add_input(*command, *arguments, "sentences, one per line (default: standard input)");
  add_decoding_arguments(*command, arguments->decoding);

  command = add_command(app, session, arguments, "transfer",
                        "rewrites sentences in another style with a trained model", transfer);
  add_output(*command, *arguments);
  add_input(*command, *arguments, "sentences, one per line (default: standard input)");
  command
      ->add_option("--to", arguments->to,
                   "style to transfer to: its name, or its index from 0 if the training data do "
                   "not name the styles; with two styles, --from is enough")
      ->type_name("STYLE");
  command
      ->add_option("--from", arguments->from,
                   "style of the sentences (default with two styles: the other one)")
      ->type_name("STYLE");
  add_decoding_arguments(*command, arguments->decoding);

  command = add_command(app, session, arguments, "interpolate",
                        "interpolates between two sentences in latent space", interpolate);
  add_output(*command, *arguments);
  add_input(*command, *arguments,
            "pairs 'A TAB B' or 'A | B', one per line (default: standard input)");
  command
      ->add_option("--steps", arguments->steps, "number of sentences from A to B, including both")
      ->check(whole_number(2, 10000));
  add_decoding_arguments(*command, arguments->decoding);

  command = add_command(app, session, arguments, "encode",
                        "prints the latent vectors of sentences, one per line", encode);
  add_output(*command, *arguments);
  add_input(*command, *arguments, "sentences, one per line (default: standard input)");
  add_seed(*command, arguments->decoding);
  command
      ->add_option("--policy", arguments->decoding.policy,
                   "greedy: posterior mean (default); sample: a sample from the posterior")
      ->type_name("POLICY");

  command = add_command(app, session, arguments, "draw",
                        "draws images of captions with a trained generator", draw);
  add_input(*command, *arguments,
            "captions, one per line (default: standard input); they are encoded as those of the "
            "training data were");
  takes_folder(command
                   ->add_option("--output", arguments->folder,
                                "folder for the images, LINE.png, or LINE-DRAW.png if --draws is "
                                "above 1 (default: the current folder)")
                   ->type_name("DIR"));
  command->add_option("--draws", arguments->draws, "number of images of each caption (default: 1)")
      ->check(whole_number(1, 65536));
  add_seed(*command, arguments->decoding);
}

}  // namespace lvtext
