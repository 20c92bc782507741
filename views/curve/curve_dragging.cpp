// Dragging control points by mouse or keys: preview, branch, restore.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "views/common/services/prompts.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"
#include "views/curve/curve_panel.h"

namespace kurve::views {
namespace {

constexpr int kNudge = 4;  // pixels at 100 %

}  // namespace

void CurvePanel::startSearch() {
    searches_.run(
        [model = view_.sharedModel(), step = view_.edit()->step()] {
            return std::pair(model, inspect::CurveEdit::searchFor(*model, step));
        },
        [this, step = view_.edit()->step()](
            const std::pair<std::shared_ptr<const inspect::CurveModel>, inspect::CurveEdit::Search>& made) {
            inspect::CurveEdit* edit = view_.edit();
            if (edit == nullptr || view_.sharedModel() != made.first || edit->step() != step) return;
            edit->setSearch(made.second);
            publishPreview();
            repaintView();
        });
}

void CurvePanel::publishPreview() {
    TokenPreview preview;
    if (const inspect::CurveEdit* edit = view_.edit()) {
        preview.step = edit->step();
        const inspect::CurveModel& model = edit->model();
        for (int word = 0; word < model.words(); ++word) {
            if (!edit->changed(word)) continue;
            const std::uint32_t id = model.vocabulary()->id(edit->nearest(word));
            const auto text = model.trace().tokenTexts.find(id);
            preview.tokens[word] = QString::fromStdString(
                text != model.trace().tokenTexts.end() ? text->second : model.vocabulary()->token(id));
        }
    }
    context().selection->setPreview(preview);
}

void CurvePanel::restore() {
    if (view_.edit() == nullptr) return;
    view_.dropEdit();
    publishPreview();
    repaintView();
}

void CurvePanel::requestBranch() {
    const inspect::CurveEdit& edit = *view_.edit();
    const bool words = edit.model().kind() == inspect::CurveKind::WordsOnly;
    QJsonArray changes;
    for (const int control : edit.controls()) {
        QJsonArray values;
        for (const float value : edit.point(control)) values.append(static_cast<double>(value));
        changes.append(QJsonObject{{QStringLiteral("kind"), QStringLiteral("latent")},
                                   {QStringLiteral("step"), edit.step()},
                                   {words ? QStringLiteral("position") : QStringLiteral("point"), control},
                                   {QStringLiteral("values"), values}});
    }
    ask<Prompts>().branch(edit.model().trace(), edit.step(),
                          QString::fromUtf8(QJsonDocument(changes).toJson(QJsonDocument::Compact)));
}

void CurvePanel::chooseControl(int by) {
    const int control = view_.chooseNext(by);
    repaintView();
    if (control >= 0)
        Q_EMIT statusMessage(
            tr("Control point %1 of %2: Ctrl and arrows move it, Enter re-runs from it, Esc restores it.")
                .arg(control + 1)
                .arg(view_.model()->controlPoints()));
}

void CurvePanel::nudge(float right, float down) {
    const auto length = static_cast<float>(px(kNudge));
    const CurveIntent intent = view_.nudge({right * length, down * length});
    if (!intent.editMoved)
        Q_EMIT statusMessage(
            tr("No control point of the selected curve is selected; use . and , in a plane."));
    follow(intent);
    repaintView();
}

void CurvePanel::branch() {
    if (view_.edit() != nullptr && view_.edit()->moved()) requestBranch();
}

}  // namespace kurve::views
