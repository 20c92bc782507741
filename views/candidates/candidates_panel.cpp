#include "views/candidates/candidates_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/json_depth.h"
#include "views/candidates/candidate_model.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/shell/empty_state.h"
#include "views/common/shell/selection.h"
#include "views/common/table/fit_rows.h"
#include "views/common/table/rich_text_delegate.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/field_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

std::map<std::string, std::string> samplerOf(const trace::Trace& trace) {
    std::map<std::string, std::string> settings;
    const std::string all = trace.metaText("sampler");
    const auto sampler =
        jsonDeeperThan(all, 4) ? nlohmann::json() : nlohmann::json::parse(all, nullptr, false);
    if (!sampler.is_object()) return settings;
    for (const auto& [key, value] : sampler.items())
        settings[key] = value.is_string() ? value.get<std::string>() : value.dump();
    return settings;
}

/// What to do where one candidate was decoded: a sampler without beams (lcm, calm) has no others.
QString onlyCandidate(const std::map<std::string, std::string>& sampler) {
    QStringList beams;
    for (const char* key : {"sampler.length_beam", "sampler.noise_beam", "sampler.beam"})
        if (sampler.contains(key)) beams << fieldLabel(key);
    if (sampler.empty()) return CandidatesPanel::tr("No other candidates.");
    if (beams.isEmpty()) return CandidatesPanel::tr("No other candidates; this sampler has no beam.");
    return CandidatesPanel::tr("No other candidates; increase %1 in the prompt bar.")
        .arg(beams.join(CandidatesPanel::tr(" or ")));
}

/// "selection: A ppl, B likelihood · length beam: A 5, B 8".
QString differences(const trace::Trace& a, const trace::Trace& b) {
    const auto ofA = samplerOf(a), ofB = samplerOf(b);
    QStringList parts;
    for (const auto& [key, value] : ofA) {
        const auto other = ofB.find(key);
        if (other != ofB.end() && other->second == value) continue;
        const auto shown = [](const std::string& text) {
            return text.empty() ? QStringLiteral("–") : qt(text);
        };
        parts << CandidatesPanel::tr("%1: A %2, B %3")
                     .arg(fieldLabel(key), shown(value), shown(other == ofB.end() ? "" : other->second));
    }
    return parts.join(QStringLiteral(" · "));
}

}  // namespace

CandidatesPanel::CandidatesPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("candidates"), tr("Candidates"), context, parent),
      model_(new CandidateModel(this)),
      table_(describe(new QTableView, "candidates.table", tr("Candidates"))),
      marked_(new RichTextDelegate(CandidateModel::HtmlRole, table_)),
      head_(new QLabel),
      empty_(new EmptyState) {
    describe(head_, "candidates.head", tr("Compared traces"), {.role = "caption", .wraps = true});
    head_->setContentsMargins(px(space::kMedium), px(space::kTight), px(space::kMedium), px(space::kTight));
    table_->setModel(model_);
    fitRows(*table_);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->setTabKeyNavigation(false);
    table_->setShowGrid(false);
    table_->verticalHeader()->hide();
    auto* page = describe(new QWidget, {.role = "surface", .filled = true});
    vboxIn(page, {head_, {table_, 1}}, {.margins = 0, .spacing = 0});
    content_ = new ContentOrEmpty(page, empty_);
    vboxIn(this, {content_}, {.margins = 0});
    setFocusProxy(table_);
    addCommands();
    connect(table_, &QTableView::activated, this, [this] { denoise(false); });
    connect(empty_, &EmptyState::clicked, this, [this] { ask<Traces>().openNewest(); });
    connect(context.selection, &Selection::traceChanged, this, &CandidatesPanel::refresh);
    connect(context.selection, &Selection::referenceChanged, this, &CandidatesPanel::refresh);
    refresh();
}

void CandidatesPanel::addCommands() {
    const CommandGroup add(context().commands, tr("View"), this, "candidates.");
    add("pin", tr("Pin candidates as B"), Qt::Key_P, tr("Compare them with those of another trace"),
        [this] { context().selection->setReference(context().selection->trace()); });
    add("end", tr("End comparison of candidates"), Qt::Key_C, tr("List A's candidates only"),
        [this] { context().selection->setReference(nullptr); });
    table_->addAction(add("denoise", tr("Open candidate"), Qt::Key_D,
                          tr("Record a trace of the selected candidate (Enter)"),
                          [this] { denoise(false); }));
    table_->addAction(add("beside", tr("Compare candidate with trace"), Qt::SHIFT | Qt::Key_Return,
                          tr("The open trace becomes B"), [this] { denoise(true); }));
}

void CandidatesPanel::denoise(bool beside) {
    const auto index = model_->beamIndex(table_->currentIndex().row());
    if (!index) return Q_EMIT statusMessage(tr("No candidate is selected; select one."));
    const auto a = context().selection->trace();
    const auto of = index->ofB ? context().selection->reference() : a;
    if (beside) context().selection->setReference(a);
    PromptRequest again = ask<Prompts>().requestOf(*of);
    again.branch.reset();  // a branch has the candidates of its parent
    again.candidate = index->number;
    ask<Prompts>().repeat(again, tr("Recording a trace of this candidate…"));
}

void CandidatesPanel::refresh() {
    const auto a = context().selection->trace(), b = context().selection->reference();
    model_->setTraces(a, b == a ? nullptr : b);
    shown_ = {a, b};
    content_->setEmpty(!hasData());
    empty_->setTexts(tr("No trace is open"), tr("Open a trace or run a prompt to list its candidates."),
                     tr("Open newest trace"));
    showHead();
    auto* header = table_->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    const int text = model_->shownAt(CandidateModel::Text);
    for (int column = 0; column < model_->columnCount(); ++column)
        table_->setItemDelegateForColumn(column, column == text ? marked_ : nullptr);
    if (text >= 0) header->setSectionResizeMode(text, QHeaderView::Stretch);
    if (hasData()) table_->setCurrentIndex(model_->index(0, 0));
}

/// "A restore-cmlm, step 3000, seed 1, selected by restore-teacher step-4000".
QString CandidatesPanel::originOf(const trace::Trace& trace, const QString& name) const {
    const auto escaped = [&](const char* key) { return qt(trace.metaText(key)).toHtmlEscaped(); };
    const auto* run =
        context().catalog != nullptr ? context().catalog->run(qt(trace.metaText("run"))) : nullptr;
    const QString title =
        run != nullptr && !run->name.empty() ? qt(run->name).toHtmlEscaped() : escaped("run");
    QString text =
        tr("<b>%1</b> %2, step %3, seed %4").arg(name, title, escaped("checkpoint_step"), escaped("seed"));
    // After the scorer's run and checkpoint follows its hash.
    if (const QString scorer = escaped("scorer").section(QLatin1Char(' '), 0, 1); !scorer.isEmpty())
        text += tr(", selected by %1").arg(scorer);
    return text;
}

void CandidatesPanel::showHead() {
    if (!hasData()) return head_->clear();
    const auto& [a, b] = shown_;
    const bool compared = model_->shownAt(CandidateModel::RankB) >= 0;
    QStringList lines{originOf(*a, QStringLiteral("A"))};
    if (compared) {
        lines << originOf(*b, QStringLiteral("B"));
        if (const QString other = differences(*a, *b); !other.isEmpty()) lines << other.toHtmlEscaped();
    } else {
        const auto sampler = samplerOf(*a);
        for (const char* key : {"sampler.selection", "sampler.method"})
            if (const auto found = sampler.find(key); found != sampler.end())
                lines.front() += tr(", %1 %2").arg(fieldLabel(key), qt(found->second).toHtmlEscaped());
    }
    const bool known = !model_->reference().isEmpty();
    if (known) lines << tr("reference: %1").arg(model_->reference().toHtmlEscaped());
    if (model_->rowCount() == 1) lines << onlyCandidate(samplerOf(*a));
    lines << (known ? tr("✔ selected · tinted: not in A's selected text · underlined: not in the reference")
                    : tr("✔ selected · tinted: not in A's selected text"));
    head_->setText(lines.join(QStringLiteral("<br>")));
}

bool CandidatesPanel::hasData() const {
    return model_->rowCount() > 0;
}

QString CandidatesPanel::statement() const {
    if (!hasData()) return tr("No candidates.");
    return tr("%1; selected: %2")
        .arg(countedText(model_->rowCount(), tr("candidate")))
        .arg(model_->index(0, model_->shownAt(CandidateModel::Text)).data().toString());
}

}  // namespace kurve::views
