#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>

#include "framework/cli/commands/checkpoint_location.h"
#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/core/base/counts.h"
#include "framework/core/base/strings.h"
#include "framework/core/checkpoint/checkpoint.h"
#include "framework/core/checkpoint/checkpoint_tools.h"

namespace lvtext {
namespace {

namespace fs = std::filesystem;

constexpr size_t kAnyNumber = std::numeric_limits<size_t>::max();

struct CheckpointArguments {
  std::vector<std::string> folders;
  std::string output;
};

std::string shape_text(const std::vector<int64_t>& shape) {
  std::vector<std::string> sizes;
  for (int64_t size : shape) sizes.push_back(std::to_string(size));
  return "[" + join(sizes) + "]";
}

void show(const CheckpointArguments& arguments, Session& session) {
  const fs::path folder = checkpoint_of(arguments.folders, session);
  auto json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  for (const TensorDescription& each : describe_checkpoint(folder)) {
    rows.push_back({each.file, each.name, each.dtype, shape_text(each.shape),
                    format_bytes(static_cast<uint64_t>(each.bytes)), format_number(each.norm),
                    format_count(each.non_finite)});
    json.push_back({{"file", each.file},
                    {"name", each.name},
                    {"dtype", each.dtype},
                    {"shape", each.shape},
                    {"bytes", each.bytes},
                    {"norm", each.norm},
                    {"non_finite", each.non_finite}});
  }
  if (session.json) {
    return print_json({{"schema", "lvtext.checkpoint-tensors/1"},
                       {"folder", folder.string()},
                       {"tensors", json}});
  }
  print_text(folder.string());
  print_table({"file", "name", "dtype", "shape", "size", "norm", "not finite"}, rows);
}

void verify(const CheckpointArguments& arguments, Session& session) {
  for (const fs::path& folder : checkpoints_of(arguments.folders, 1, kAnyNumber, session)) {
    verify_checkpoint(folder);
    print_text(folder.string() + ": verified");
  }
}

void diff(const CheckpointArguments& arguments, Session& session) {
  const auto folders = checkpoints_of(arguments.folders, 2, 2, session);
  auto json = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  size_t equal = 0;
  for (const TensorDifference& each : diff_checkpoints(folders[0], folders[1])) {
    json.push_back({{"file", each.file},
                    {"name", each.name},
                    {"equal", each.equal_bits},
                    {"max_abs", each.max_abs},
                    {"note", each.note}});
    if (each.equal_bits) {
      ++equal;
    } else {
      rows.push_back({each.file, each.name, format_number(each.max_abs), each.note});
    }
  }
  if (session.json) return print_json({{"schema", "lvtext.checkpoint-diff/1"}, {"tensors", json}});
  if (!rows.empty()) print_table({"file", "name", "largest difference", "note"}, rows);
  print_text(std::to_string(equal) + " tensors equal, " + std::to_string(rows.size()) +
             " different");
}

void average(const CheckpointArguments& arguments, Session& session) {
  const auto folders = checkpoints_of(arguments.folders, 1, kAnyNumber, session);
  std::error_code failed;
  if (fs::exists(arguments.output, failed)) {
    throw Error(Exit::kCannotWrite,
                "--output " + arguments.output + " already exists; give the name of a new file");
  }
  const auto written = write_safetensors(arguments.output, average_checkpoints(folders));
  print_text(arguments.output + ": the mean of " + format_count(std::ssize(folders), "checkpoint") +
             ", " + format_bytes(written.bytes));
}

}  // namespace

void add_checkpoint(CLI::App& app, Session& session) {
  CLI::App* group = app.add_subcommand(
      "checkpoint", "inspects, compares, averages, exports and imports checkpoints");
  group->require_subcommand(1);
  auto arguments = std::make_shared<CheckpointArguments>();
  const auto add = [&](const char* name, const char* help,
                       void (*work)(const CheckpointArguments&, Session&)) {
    CLI::App* command = group->add_subcommand(name, help);
    command->add_option("FOLDER", arguments->folders, kCheckpointHelp)->required();
    add_runs_folder(*command, session);
    command->callback([arguments, work, &session] { work(*arguments, session); });
    return command;
  };
  add_json(*add("show", "lists tensors with shape and norm", show), session);
  add("verify", "verifies all files against the manifest", verify);
  add_json(*add("diff", "prints the largest absolute difference of each tensor", diff), session);
  writes_file(add("average", "averages the tensors of several checkpoints", average)
                  ->add_option("-o,--output", arguments->output, "safetensors file to write")
                  ->type_name("FILE")
                  ->required(),
              "mean.safetensors");
  add_checkpoint_exchange(*group, session);
}

}  // namespace lvtext
