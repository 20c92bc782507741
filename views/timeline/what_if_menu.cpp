#include "views/timeline/what_if_menu.h"

#include <QLineEdit>
#include <QWidgetAction>

namespace kurve::views {

using trace::EditKind;

WhatIfMenu::WhatIfMenu(const TimelineModel& model, const WhatIf& whatIf, Cell cell, Add add, QWidget* parent)
    : QMenu(parent), cell_(cell), add_(std::move(add)) {
    setObjectName(QStringLiteral("timeline.what_if"));
    setAttribute(Qt::WA_DeleteOnClose);
    const std::uint32_t token = model.token(cell.step, cell.slot);
    const std::string text = model.piece(token).text;
    const QString shown = QString::fromStdString(text);
    // Not a section: styles may leave its text out.
    QAction* title = addAction(tr("Slot %1 at step %2: %3").arg(cell.slot).arg(cell.step + 1).arg(shown));
    title->setObjectName(QStringLiteral("timeline.what_if.title"));
    title->setEnabled(false);
    addSeparator();
    const auto offer = [&](EditKind kind, const QString& title, const trace::Edit& what) {
        if (whatIf.can(kind)) addAction(title, this, [this, what] { add_(what); });
    };
    const auto id = static_cast<std::int32_t>(token);
    offer(EditKind::Pin, tr("Pin “%1” from here on").arg(shown), edit(EditKind::Pin, id, text));
    if (whatIf.can(EditKind::Force)) addTokens(addMenu(tr("Force at this step")), model, EditKind::Force);
    if (whatIf.can(EditKind::Pin)) addTokens(addMenu(tr("Pin from here on")), model, EditKind::Pin);
    offer(EditKind::Ban, tr("Ban “%1” from here on").arg(shown), edit(EditKind::Ban, id, text));
    offer(EditKind::Noise, model.continuous() ? tr("Replace by fresh noise") : tr("Mask before this step"),
          edit(EditKind::Noise));
}

trace::Edit WhatIfMenu::edit(EditKind kind, std::int32_t token, std::string text) const {
    return {kind, cell_.step, cell_.slot, false, token, std::move(text), {}};
}

void WhatIfMenu::addTokens(QMenu* menu, const TimelineModel& model, EditKind kind) {
    const trace::Trace& trace = model.trace();
    const std::size_t base = trace.cell(cell_.step, cell_.slot) * trace::kTopCandidates;
    for (std::size_t k = 0; k < trace::kTopCandidates && base + k < trace.topIds.size(); ++k) {
        const float p = trace.topProbability[base + k];
        if (p <= 0 && k > 0) break;
        const std::string text = model.piece(trace.topIds[base + k]).text;
        const trace::Edit what = edit(kind, static_cast<std::int32_t>(trace.topIds[base + k]), text);
        menu->addAction(tr("%1\t%2").arg(QString::fromStdString(text)).arg(static_cast<double>(p), 0, 'f', 3),
                        this, [this, what] { add_(what); });
    }
    addField(menu, kind);
}

void WhatIfMenu::addField(QMenu* menu, EditKind kind) {
    auto* field = new QLineEdit(menu);
    field->setPlaceholderText(tr("another word, Enter"));
    field->setAccessibleName(tr("Another word for this slot"));
    field->setObjectName(QStringLiteral("timeline.what_if.word"));
    auto* action = new QWidgetAction(menu);
    action->setDefaultWidget(field);
    menu->addSeparator();
    menu->addAction(action);
    connect(field, &QLineEdit::returnPressed, this, [this, field, kind] {
        if (field->text().trimmed().isEmpty()) return;
        add_(edit(kind, -1, field->text().trimmed().toStdString()));
        close();
    });
}

}  // namespace kurve::views
