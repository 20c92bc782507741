// What the laboratory does with schedule A: files, the draft, exports, and the proposal of a run's loss.
#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <cmath>

#include "core/base/file.h"
#include "core/schedule/schedule_file.h"
#include "core/schedule/schedule_text.h"
#include "views/common/chart/plot_card.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/chart/view_picture.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/save_dialog.h"
#include "views/common/services/draft_form.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/schedule/compared_schedules.h"
#include "views/schedule/lab_runs.h"
#include "views/schedule/lab_state.h"
#include "views/schedule/schedule_charts.h"
#include "views/schedule/schedule_form.h"
#include "views/schedule/schedule_panel.h"
#include "views/schedule/use_form.h"

namespace kurve::views {

using schedule::FreeCurve;

namespace {

constexpr const char* kFolder = "schedules";

QPushButton* action(const char* id, const QString& text, const QString& tip) {
    return describe(new QPushButton(text), QStringLiteral("schedule.") + QLatin1String(id), tip, tip);
}

}  // namespace

void SchedulePanel::buildActions(QVBoxLayout* column) {
    name_ = describe(new QLineEdit, "schedule.name", tr("Name of the schedule file"),
                     {.placeholder = tr("preset name")});
    auto* saveButton =
        action("save", tr("Save"), tr("Save A as schedules/NAME.toml, for every schedule setting"));
    auto* use = action("use", tr("Use in draft"), tr("Use A in the draft's settings"));
    auto* sample =
        action("sample", tr("Sample with A"),
               tr("Decode the selected run with these noise levels, steps and spacing (at test time only)"));
    auto* swapButton = action("swap", tr("Swap A and B"), tr("Swap the schedules; A is the editable one"));
    auto* exportButton = action("export", tr("Export"), tr("Export A as a table, a figure or C++"));
    auto* menu = new QMenu(exportButton);
    for (const auto& [kind, title] :
         {std::pair{"csv", tr("Table (CSV)…")}, std::pair{"svg", tr("Figure (SVG)…")},
          std::pair{"h", tr("C++ initialiser…")}, std::pair{"text", tr("Copy as setting")}}) {
        QAction* entry = menu->addAction(title);
        entry->setObjectName(QStringLiteral("schedule.export.") + QLatin1String(kind));
        connect(entry, &QAction::triggered, this,
                [this, format = QString::fromLatin1(kind)] { exportTo(format); });
    }
    exportButton->setMenu(menu);
    describe(flatten_, "schedule.flatten",
             tr("Propose a schedule from the selected run's loss by noise level"));
    column->addLayout(hbox({{name_, 1}, saveButton}, {.spacing = space::kTight}));
    column->addLayout(wrapBox({use, exportButton, flatten_, sample, swapButton}, {.spacing = space::kTight}));
    connect(sample, &QPushButton::clicked, this, &SchedulePanel::sampleWith);
    connect(saveButton, &QPushButton::clicked, this, [this] { save(name_->text().trimmed()); });
    connect(name_, &QLineEdit::returnPressed, this, [this] { save(name_->text().trimmed()); });
    connect(use, &QPushButton::clicked, this, &SchedulePanel::useInDraft);
    connect(swapButton, &QPushButton::clicked, this, &SchedulePanel::swap);
    connect(flatten_, &QPushButton::clicked, this, &SchedulePanel::proposeFlat);
    name_->setEnabled(context().project != nullptr);
    saveButton->setEnabled(context().project != nullptr);
}

QWidget* SchedulePanel::buildProposal() {
    proposalBar_ = describe(new QFrame, {.role = "card"});
    difference_ = describe(new QLabel, "schedule.difference", {.wraps = true});
    auto* take = action("apply", tr("Apply"), tr("Replace schedule A with the proposal (Ctrl+Z undoes)"));
    auto* drop = action("dismiss", tr("Dismiss"), tr("Discard the proposal"));
    hboxIn(proposalBar_, {{difference_, 1}, take, drop});
    connect(take, &QPushButton::clicked, this, [this] { applyProposal(true); });
    connect(drop, &QPushButton::clicked, this, [this] { applyProposal(false); });
    return proposalBar_;
}

void SchedulePanel::proposeFlat() {
    const auto plain = state_.a.withoutFactor().make();  // as the run's levels are
    auto flat = schedule::flattened(*plain, runs_->levels());
    if (!flat) return report(qt(flat.error().text()));
    const auto now = schedule::densityOf(*plain), then = schedule::densityOf(*makeFreeSchedule(*flat));
    const auto fractionBelow = [](const schedule::NoiseDensity& density, double level) {
        double fraction = 0;
        for (std::size_t i = 0; i < density.mass.size() && density.logSnr[i] < level; ++i)
            fraction += density.mass[i];
        return fraction;
    };
    const double low = now.logSnr.front(), high = now.logSnr.back();
    double moved = 0, before = 0;  // half the absolute difference of the fractions of 40 levels
    for (int k = 1; k <= 40; ++k) {
        const double level = low + (high - low) * k / 40;
        const double difference = fractionBelow(then, level) - fractionBelow(now, level);
        moved += std::abs(difference - before) / 2;
        before = difference;
    }
    proposal_ = std::move(*flat);
    difference_->setText(tr("Flatten: %1 % of the training draws would move to other noise levels (dotted: "
                            "proposal, filled: now). Not applied yet.")
                             .arg(qRound(100 * moved)));
    refresh();
}

void SchedulePanel::applyProposal(bool take) {
    const auto flat = std::exchange(proposal_, std::nullopt);
    if (!take || !flat) return refresh();
    edit([&](State& next) {
        next.a.draw(*flat, state_.a.settings());
        next.a.file.clear();
        next.times = {};
    });
}

void SchedulePanel::listFiles() {
    if (context().project == nullptr) return;
    const QDir folder(qt((context().project->folder() / kFolder).string()));
    const QStringList names = folder.entryList({QStringLiteral("*.toml")}, QDir::Files, QDir::Name);
    formA_->setFiles(names);
    formB_->setFiles(names);
    compared_->setFiles(names);
}

void SchedulePanel::compareFile(const QString& name) {
    auto curve = schedule::readScheduleFile(context().project->folder() / kFolder / name.toStdString());
    if (!curve) return report(qt(curve.error().text()));
    schedule::LabSchedule schedule;
    schedule.draw(*curve, {});
    schedule.file = name.toStdString();
    compared_->add(schedule);
}

void SchedulePanel::openFile(ScheduleForm* form, const QString& name) {
    auto curve = schedule::readScheduleFile(context().project->folder() / kFolder / name.toStdString());
    if (!curve) return report(qt(curve.error().text()));
    if (form == formB_) {
        b_.draw(*curve, {});
        b_.file = name.toStdString();
        formB_->setValue(b_);
        return refresh();
    }
    selected_ = -1;
    edit([&](State& next) {
        next.times = {};
        next.a.draw(*curve, state_.a.settings());
        next.a.file = name.toStdString();
    });
    name_->setText(name.chopped(5));
}

void SchedulePanel::save(const QString& name) {
    static const QRegularExpression kPlain(QStringLiteral("^[A-Za-z0-9_-]{1,64}$"));
    if (!kPlain.match(name).hasMatch())
        return report(tr("Invalid preset name; use letters, digits, - and _ only."));
    auto lab = trained();
    if (!lab) return report(qt(lab.error().text()));
    const FreeCurve curve = lab->drawn() ? lab->curve() : freeCurveOf(*lab->make());
    const QString fileName = name + QStringLiteral(".toml");
    const auto folder = context().project->folder() / kFolder;
    const auto file = folder / fileName.toStdString();
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored) && fileName.toStdString() != state_.a.file &&
        replaced_ != name) {
        replaced_ = name;
        return report(tr("schedules/%1 exists; press Save again to replace it.").arg(fileName));
    }
    replaced_.clear();
    saving_.run(
        [folder, file, text = schedule::scheduleFileText(curve)]() -> Status {
            std::error_code problem;
            std::filesystem::create_directories(folder, problem);
            return writeFileAtomically(file, text);
        },
        [this, fileName, curve](const Status& status) {
            if (!status) return report(qt(status.error().text()));
            listFiles();
            const auto nameFile = [file = fileName.toStdString(), &curve](State& state) {
                const bool holds =
                    state.a.drawn() && state.times == schedule::TimeDensity() && state.a.curve() == curve;
                if (holds || state.a.file == file) state.a.file = holds ? file : std::string();
            };
            nameFile(state_);
            history_.changeAll(nameFile);
            formA_->setFile(state_.a.file);
            report(tr("Saved as schedules/%1; use it as file:schedules/%1.").arg(fileName));
        });
}

void SchedulePanel::useInDraft() {
    auto lab = trained();
    if (!lab) return report(qt(lab.error().text()));
    const auto isStored = [&] {  // the file may have been replaced since
        if (!lab->drawn() || lab->file.empty() || context().project == nullptr) return false;
        const auto stored = schedule::readScheduleFile(context().project->folder() / kFolder / lab->file);
        return stored && *stored == lab->curve();
    };
    const QString text = isStored() ? QStringLiteral("file:%1/%2").arg(QLatin1String(kFolder), qt(lab->file))
                                    : qt(*lab->settingText());
    QMap<QString, QString> parameters;
    for (const auto& [key, value] : lab->parameters()) parameters.insert(qt(key), qt(value));
    ask<Studio>().reveal(QStringLiteral("launch"));
    ask<DraftForm>().useSchedule(text, parameters);
}

/// Decodes the selected run with A's noise levels, at test time only.
void SchedulePanel::sampleWith() {
    const store::RunSummary* run =
        context().catalog == nullptr ? nullptr : context().catalog->run(context().selection->primaryRun());
    if (run == nullptr) return report(tr("Select a run to decode with."));
    const auto schema = context().engine->family(run->family);
    if (!schema || schema->find("sampler.schedule") == nullptr)
        return report(tr("%1 does not support another schedule at test time.").arg(qt(run->family)));
    const auto text = state_.a.wholeText();
    if (!text) return report(qt(text.error().text()));
    const schedule::ScheduleUse& use = use_->use();
    ask<Studio>().reveal(QStringLiteral("prompt"));
    ask<PromptBar>().useSampler(
        {{QStringLiteral("sampler.schedule"), qt(*text)},
         {QStringLiteral("sampler.spacing"), savedChoice(kSpacingIds, static_cast<int>(use.spacing))},
         {QStringLiteral("sampler.steps"), QString::number(use.steps)}});
    report(tr("The next prompts use these noise levels; press Ctrl+Enter."));
}

void SchedulePanel::exportTo(const QString& kind) {
    if (kind == QStringLiteral("text")) {
        const auto lab = trained();
        const auto text = lab ? lab->wholeText() : Result<std::string>(lab.error());
        if (!text) return report(qt(text.error().text()));
        QGuiApplication::clipboard()->setText(qt(*text));
        return report(tr("Copied."));
    }
    askForFile(this,
               {.title = tr("Export schedule"), .suffix = kind, .name = QStringLiteral("schedule.") + kind},
               [this, kind](const QString& file) { writeExport(kind, file); });
}

void SchedulePanel::writeExport(const QString& kind, const QString& file) {
    const auto told = [this, file](const Status& status) {
        report(status ? tr("Written: %1").arg(file) : qt(status.error().text()));
    };
    if (kind == QStringLiteral("svg"))
        return exporting_.run(
            [figure = ViewExport(*charts_->widget(), kind, statement()), file] { return figure.write(file); },
            told);
    const auto made = state_.a.make();
    const std::string text = kind == QStringLiteral("csv") ? schedule::tableText(*made)
                             : state_.a.drawn() ? schedule::initialiserText(state_.a.curve(), *made)
                                                : schedule::initialiserText(*made);
    exporting_.run([path = file.toStdString(), text] { return writeFileAtomically(path, text); }, told);
}

}  // namespace kurve::views
