#include "views/prompt/request_list.h"

#include <QHeaderView>
#include <algorithm>
#include <chrono>

#include "core/store/safetensors.h"
#include "views/common/form/controls.h"
#include "views/common/table/view_table.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

constexpr int kFileRole = Qt::UserRole + 1, kStepRole = Qt::UserRole + 2;
enum Column { kText, kKind, kStep, kWhen };

double changedAt(const std::filesystem::path& file) {
    std::error_code problem;
    const auto time = std::filesystem::last_write_time(file, problem);
    if (problem) return 0;
    const auto wall = std::chrono::file_clock::to_sys(time);
    return std::chrono::duration<double>(wall.time_since_epoch()).count();
}

QString kindOf(const store::SafetensorsFile& file) {
    const auto& meta = file.metadata();
    const auto change = meta.find("branch_change");
    QString kind = change != meta.end() && !change->second.empty()
                       ? RequestList::tr("branch: %1").arg(QString::fromStdString(change->second))
                       : QString();
    const bool layers = std::any_of(file.tensors().begin(), file.tensors().end(),
                                    [](const auto& tensor) { return tensor.first.rfind("hidden/", 0) == 0; });
    if (layers)
        kind = kind.isEmpty() ? RequestList::tr("layers captured") : RequestList::tr("%1, layers").arg(kind);
    return kind.isEmpty() ? RequestList::tr("prompt") : kind;
}

}  // namespace

RequestedTraces readRequestedTraces(const std::vector<store::TraceRow>& rows,
                                    const std::filesystem::path& runFolder, const RequestedTraces& known) {
    RequestedTraces out;
    for (const auto& row : rows) {
        if (const auto found = known.find(row.path.text()); found != known.end()) {
            out.insert(*found);
            continue;
        }
        const auto path = row.path.in(runFolder);
        if (!path) continue;
        const auto file = store::SafetensorsFile::open(*path);
        if (!file) continue;
        out[row.path.text()] = {QString::fromStdString(row.path.text()), QString::fromStdString(row.text),
                                kindOf(**file), row.step, changedAt(*path)};
    }
    return out;
}

RequestList::RequestList(QWidget* parent) : QTreeWidget(parent) {
    describe(this, "prompt.requested", tr("Requested traces"),
             tr("Traces of prompts, branches and captured layers (Shift+Enter opens as B)"));
    setHeaderLabels({tr("Prompt"), tr("kind"), tr("step"), tr("when")});
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setTextElideMode(Qt::ElideRight);
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(kText, QHeaderView::Stretch);
    for (const auto& [column, width] : {std::pair{int{kKind}, 120}, {int{kStep}, 64}, {int{kWhen}, 104}})
        setColumnWidth(column, px(width));
    const auto open = [this](const QTreeWidgetItem* line) {
        if (line != nullptr) Q_EMIT opened(fileOf(line), stepOf(line));
    };
    connect(this, &QTreeWidget::itemClicked, this, open);
    connect(this, &QTreeWidget::itemActivated, this, open);
}

QString RequestList::fileOf(const QTreeWidgetItem* line) {
    return line != nullptr ? line->data(kText, kFileRole).toString() : QString();
}

qint64 RequestList::stepOf(const QTreeWidgetItem* line) {
    return line->data(kText, kStepRole).toLongLong();
}

void RequestList::setRun(const std::filesystem::path& runFolder, const std::vector<store::TraceRow>& traces) {
    std::vector<store::TraceRow> rows;
    for (const auto& trace : traces)
        if (trace.prompt < 0) rows.push_back(trace);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto& a, const auto& b) { return a.recorded > b.recorded; });
    std::vector<std::string> files;
    for (const auto& row : rows) files.push_back(row.path.text());
    if (runFolder == folder_ && files == files_) return;
    if (runFolder != folder_) {
        known_.clear();
        clear();
    }
    folder_ = runFolder;
    files_ = std::move(files);
    reading_.run([rows = std::move(rows), runFolder,
                  known = known_] { return readRequestedTraces(rows, runFolder, known); },
                 [this](RequestedTraces read) {
                     known_ = std::move(read);
                     fill();
                 });
}

void RequestList::fill() {
    const QString current = fileOf(currentItem());
    clear();
    for (const std::string& file : files_) {
        const auto found = known_.find(file);
        if (found == known_.end()) continue;
        const RequestedTrace& one = found->second;
        auto* line =
            new QTreeWidgetItem(this, {one.text, one.kind, countText(one.step), momentText(one.when)});
        line->setData(kText, kFileRole, one.file);
        line->setData(kText, kStepRole, one.step);
        line->setData(kStep, kExportRole, one.step);
        line->setToolTip(
            kText, plainTip(tr("%1\n%2, training step %3").arg(one.text, one.kind, countText(one.step))));
        line->setToolTip(kKind, one.kind);
        if (one.file == current) setCurrentItem(line);
    }
    Q_EMIT filled();
}

}  // namespace kurve::views
