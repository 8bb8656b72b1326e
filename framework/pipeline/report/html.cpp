// Renders the report as one HTML page.
#include <algorithm>
#include <set>

#include "framework/core/base/strings.h"
#include "framework/pipeline/report/escape.h"
#include "framework/pipeline/report/html_tables.h"
#include "framework/pipeline/report/page/embedded.h"
#include "framework/pipeline/report/report.h"
#include "framework/pipeline/report/template.h"

namespace lvtext {
namespace {

/// Collects the sections of the page in order.
class Sections {
 public:
  /// Skips sections without content.
  void add(const std::string& title, const std::string& content) {
    if (content.empty()) return;
    const std::string id = id_of(title);
    links_ += "<li><a href=\"#" + id + "\">" + escape_html(title) + "</a></li>\n";
    html_ += "<section id=\"" + id + "\">\n" + html_element("h2", title) + "\n" + content +
             "</section>\n";
  }
  /// List items that link to the sections.
  const std::string& links() const { return links_; }
  const std::string& html() const { return html_; }

 private:
  /// "what-differs-from-the-paper"; a number is appended to repeated ids.
  std::string id_of(const std::string& title) {
    std::string id;
    for (const char c : title) {
      const bool is_kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      const bool is_upper = c >= 'A' && c <= 'Z';
      if (is_kept || is_upper) {
        id += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
      } else if (!id.empty() && id.back() != '-') {
        id += '-';
      }
    }
    if (id.empty()) id = "section";
    if (ids_.insert(id).second) return id;
    for (int number = 2;; ++number) {
      std::string numbered = id + "-" + std::to_string(number);
      if (ids_.insert(numbered).second) return numbered;
    }
  }

  std::set<std::string> ids_;
  std::string links_, html_;
};

std::string head(const ReportData& data) {
  std::vector<MetadataEntry> list;
  if (!data.paper_title.empty()) {
    list.push_back({"paper", data.paper_title + ", " + data.paper_id + ", " + data.paper_item});
  }
  const bool is_smoke = data.profile == "smoke";
  list.push_back(
      {"profile", data.profile + (is_smoke ? ": a test run; its numbers are not meaningful" : "")});
  list.insert(list.end(), data.metadata.begin(), data.metadata.end());
  std::string out = html_element("h1", data.recipe) + "\n";
  for (const std::string& warning : data.warnings) {
    out += "<p class=\"warning\">" + escape_html(warning) + ".</p>\n";
  }
  return out + html_metadata(list) + html_element("p", outcome(data)) + "\n";
}

std::string contents(const Sections& sections, const ReportData& data) {
  std::string files;
  for (const ReportFiles& group : report_files(data)) {
    std::vector<std::string> links;
    for (const std::string& name : group.names) {
      links.push_back("<a href=\"" + escape_html(name) + "\">" + escape_html(name) + "</a>");
    }
    files += "<li>" + escape_html(group.title) + ": " + join(links) + "</li>\n";
  }
  return "<nav aria-label=\"Contents\">\n<ul class=\"contents\">\n" + sections.links() +
         "</ul>\n<details><summary>Files of this report</summary>\n<ul>\n" + files +
         "</ul></details>\n</nav>\n";
}

std::string text_tables(const std::vector<TextTable>& list, HtmlTables& tables) {
  std::string out;
  for (const TextTable& table : list) out += html_element("h3", table.title) + tables.texts(table);
  return out;
}

/// `more` follows the note of each table.
std::string side_tables(const std::vector<SideTable>& list, HtmlTables& tables,
                        const std::string& more = "") {
  std::string out;
  for (const SideTable& each : list) {
    const std::string note = each.note + (each.note.empty() || more.empty() ? "" : ". ") + more;
    out += html_element("h3", each.title) + "\n<p class=\"note\">" + escape_html(note) + "</p>\n" +
           tables.scores(each.title, each.table);
  }
  return out;
}

std::string differences(const std::vector<Substitution>& list, HtmlTables& tables) {
  if (list.empty()) return "";
  TextTable table{"What differs from the paper", "", {"what", "paper", "ours", "reason"}, {}};
  for (const Substitution& s : list) table.rows.push_back({s.what, s.paper, s.ours, s.reason});
  return tables.texts(table);
}

std::string curves(const std::vector<Plot>& list) {
  if (list.empty()) return "";
  std::string out =
      "<p class=\"note\">The first seed of each row. Losses are means; those that are log "
      "probabilities are in nats.</p>\n<div class=\"plots\">\n";
  for (const Plot& plot : list) out += plot_svg(plot);
  return out + "</div>\n";
}

std::string figure_html(const Figure& figure, HtmlTables& tables) {
  std::string out;
  if (!figure.note.empty() && !figure.texts) {
    out += "<p class=\"note\">" + escape_html(figure.note) + "</p>\n";
  }
  out += figure.html;
  if (figure.texts) out += tables.texts(*figure.texts);
  if (figure.missing.empty()) return out;
  std::vector<MetadataEntry> reasons;
  for (const MissingPart& part : figure.missing) reasons.push_back({part.what, part.reason});
  return out + "<h3>Not shown</h3>\n" + html_metadata(reasons);
}

/// CSS of the page and of the figures' classes, without duplicates.
std::string style_of(const std::vector<Figure>& figures) {
  std::string out(kColorsCss);
  out.append(kBaseCss).append(kChartsCss).append(kReportCss);
  std::set<std::string> known;
  for (const Figure& figure : figures) {
    if (known.insert(figure.style).second) out += figure.style;
  }
  return out;
}

}  // namespace

std::string report_html(const ReportData& data) {
  HtmlTables tables;
  Sections sections;
  for (size_t i = 0; i < data.tables.size(); ++i) {
    const ReportTable& each = data.tables[i];
    if (!each.is_shown()) continue;
    const std::string title = table_title(data, i);
    const auto guards = each.checks_that(true), claims = each.checks_that(false);
    std::string content;
    if (!guards.empty()) {
      content = "<h3>Checks of the evaluation models</h3>\n" +
                tables.checks(title + ": checks of the evaluation models", guards);
    }
    sections.add(title, content + tables.scores(title, each.table, each.notes, each.is_transposed));
    if (claims.empty()) continue;
    const std::string heading = data.tables.size() == 1 ? "Checks" : "Checks of " + title;
    sections.add(heading, tables.checks(heading, claims));
  }
  sections.add("What differs from the paper", differences(data.substitutions, tables));
  sections.add("Human ratings", side_tables(data.ratings, tables));
  sections.add("All scores", side_tables(data.scores, tables, "Scores of each row's first seed."));
  sections.add("Training", curves(data.curves));
  for (const Figure& figure : data.figures) {
    sections.add(figure.title, figure_html(figure, tables));
  }
  sections.add("Samples", text_tables(data.samples, tables));
  sections.add("Data and training", text_tables(data.data_counts, tables));
  return fill_template(kReportHtml,
                       {{"title", escape_html(data.recipe + " (" + data.profile + ")")},
                        {"style", style_of(data.figures)},
                        {"head", head(data)},
                        {"contents", contents(sections, data)},
                        {"sections", sections.html()},
                        {"version", escape_html(data.version)}});
}

}  // namespace lvtext
