#include "framework/cli/commands/commands.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "framework/cli/catalog.h"
#include "framework/cli/flags.h"
#include "framework/cli/print.h"
#include "framework/cli/session.h"
#include "framework/cli/values.h"
#include "framework/core/base/strings.h"

namespace lvtext {
namespace {

void run(const std::string& kind, Session& session) {
  const std::vector<CatalogEntry> entries = catalog(kind, session);
  if (session.json) {
    auto json = nlohmann::ordered_json::array();
    for (const auto& each : entries) {
      json.push_back({{"name", each.name}, {"description", each.description}});
    }
    print_json({{"schema", "lvtext.list/1"}, {"kind", kind}, {"entries", json}});
    return;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& each : entries) rows.push_back({each.name, each.description});
  print_table({"name", "description"}, rows);
}

}  // namespace

void add_list(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("list", "lists " + join(catalog_kinds()));
  auto kind = std::make_shared<std::string>();
  command->add_option("KIND", *kind, "what to list")
      ->required()
      ->check(name_among(catalog_kinds()));
  add_json(*command, session);
  command->callback([kind, &session] { run(*kind, session); });
}

}  // namespace lvtext
