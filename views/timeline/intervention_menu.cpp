#include "views/timeline/intervention_menu.h"

#include <QCompleter>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QWidgetAction>
#include <algorithm>
#include <tuple>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/style_property.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

using trace::EditKind;

namespace {

/// The first token that is not before `text`, without case.
QStringList::const_iterator firstAt(const QStringList& tokens, const QString& text) {
    return std::lower_bound(tokens.begin(), tokens.end(), text, [](const QString& a, const QString& b) {
        return a.compare(b, Qt::CaseInsensitive) < 0;
    });
}

/// Its Enter would go on to the menu, which runs its current entry.
class TokenField : public QLineEdit {
public:
    using QLineEdit::QLineEdit;

protected:
    void keyPressEvent(QKeyEvent* event) override {
        QLineEdit::keyPressEvent(event);
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) event->accept();
    }
};

}  // namespace

InterventionMenu::InterventionMenu(const inspect::TimelineModel& model,
                                   const inspect::Intervention& intervention, Cell cell, Add add,
                                   QWidget* parent)
    : QMenu(parent), cell_(cell), unit_(model.trace().unit), add_(std::move(add)) {
    for (const std::string& token : intervention.vocabulary()) vocabulary_ << QString::fromStdString(token);
    setObjectName(QStringLiteral("intervention.menu"));
    setAttribute(Qt::WA_DeleteOnClose);
    const std::uint32_t token = model.token(cell.step, cell.position);
    const std::string text = model.textOf(token).text;
    const QString shown = QString::fromStdString(text);
    // Not a section: some styles hide its text.
    QAction* title =
        addAction(tr("Position %1 at step %2: %3").arg(cell.position).arg(cell.step + 1).arg(shown));
    title->setObjectName(QStringLiteral("intervention.title"));
    title->setEnabled(false);
    addSeparator();
    const auto offer = [&](EditKind kind, const QString& title, const trace::Edit& what) {
        if (intervention.supports(kind)) addAction(title, this, [this, what] { add_(what); });
    };
    const auto id = static_cast<std::int32_t>(token);
    offer(EditKind::Pin, tr("Pin “%1” from this step on").arg(shown), edit(EditKind::Pin, id, text));
    if (intervention.supports(EditKind::Force))
        addTokens(addMenu(tr("Force at this step")), model, EditKind::Force);
    if (intervention.supports(EditKind::Pin))
        addTokens(addMenu(tr("Pin from this step on")), model, EditKind::Pin);
    offer(EditKind::Ban, tr("Ban “%1” from this step on").arg(shown), edit(EditKind::Ban, id, text));
    offer(EditKind::Noise,
          model.trace().masks() ? tr("Mask before this step") : tr("Replace with fresh noise"),
          edit(EditKind::Noise));
    if (intervention.supports(EditKind::Sampler) && !model.trace().metaText("edits").empty())
        addSamplerField(addMenu(tr("Other settings from this step on")));
}

trace::Edit InterventionMenu::edit(EditKind kind, std::int32_t token, std::string text) const {
    return {kind, cell_.step, cell_.position, false, token, std::move(text), {}};
}

void InterventionMenu::addTokens(QMenu* menu, const inspect::TimelineModel& model, EditKind kind) {
    const trace::Candidates found = model.trace().candidates(cell_.step, cell_.position);
    for (std::size_t k = 0; k < found.ids.size(); ++k) {
        const std::string text = model.textOf(found.ids[k]).text;
        const auto p = static_cast<double>(found.probabilities[k]);
        const trace::Edit what = edit(kind, static_cast<std::int32_t>(found.ids[k]), text);
        menu->addAction(tr("%1\t%2").arg(QString::fromStdString(text)).arg(p, 0, 'f', 3), this,
                        [this, what] { add_(what); });
    }
    addField(menu, kind);
}

std::pair<QLineEdit*, QLabel*> InterventionMenu::addLine(QMenu* menu, const QString& placeholder) {
    auto* page = new QWidget(menu);
    auto* field = describe(new TokenField(page), "intervention.token", {.placeholder = placeholder});
    auto* error = describe(new QLabel(page), "intervention.error", {.role = "error"});
    vboxIn(page, {field, error}, {.margins = {space::kSmall, 2}});
    auto* action = new QWidgetAction(menu);
    action->setDefaultWidget(page);
    menu->addSeparator();
    menu->addAction(action);
    return {field, error};
}

/// With completions and a check where the vocabulary is known; else the engine checks the token. A chunk
/// keeps the spaces around its text: they are characters of it.
void InterventionMenu::addField(QMenu* menu, EditKind kind) {
    QLineEdit* field = nullptr;
    QLabel* error = nullptr;
    std::tie(field, error) = addLine(menu, unit_ == trace::Unit::Token   ? tr("another token, Enter")
                                           : unit_ == trace::Unit::Chunk ? tr("the chunk's text, Enter")
                                                                         : tr("another sentence, Enter"));
    field->setAccessibleName(tr("Another text for this position"));
    if (!vocabulary_.isEmpty() && unit_ == trace::Unit::Token) {
        auto* completer = new QCompleter(vocabulary_, field);
        completer->setCaseSensitivity(Qt::CaseInsensitive);
        completer->setModelSorting(QCompleter::CaseInsensitivelySortedModel);
        field->setCompleter(completer);
        connect(field, &QLineEdit::textChanged, this, [this, field, error](const QString& text) {
            const auto at = firstAt(vocabulary_, text.trimmed());
            const bool known = at != vocabulary_.end() && at->startsWith(text.trimmed(), Qt::CaseInsensitive);
            error->setText(known ? QString() : tr("Not in the vocabulary"));
            setStyleProperty(*field, "invalid", !known);
        });
    }
    connect(field, &QLineEdit::returnPressed, this, [this, field, kind] {
        const QString text = unit_ == trace::Unit::Chunk ? field->text() : field->text().trimmed();
        const auto at = firstAt(vocabulary_, text.trimmed());
        const bool known = at != vocabulary_.end() && at->compare(text.trimmed(), Qt::CaseInsensitive) == 0;
        if (text.trimmed().isEmpty() || (field->completer() != nullptr && !known)) return;
        add_(edit(kind, -1, text.toStdString()));
        close();
    });
}

void InterventionMenu::addSamplerField(QMenu* menu) {
    QLineEdit* field = nullptr;
    QLabel* error = nullptr;
    std::tie(field, error) = addLine(menu, tr("temperature=0.5 draws=100, Enter"));
    field->setAccessibleName(tr("Settings of the sampler from this step on"));
    connect(field, &QLineEdit::returnPressed, this, [this, field, error] {
        trace::Edit changed = edit(EditKind::Sampler);
        changed.position = 0;
        for (const QString& setting : field->text().split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            const QStringList sides = setting.split(QLatin1Char('='));
            if (sides.size() != 2 || sides[0].isEmpty() || sides[1].isEmpty())
                return error->setText(tr("Write settings as name=value"));
            const QString prefix = QStringLiteral("sampler.");
            const QString key = sides[0].startsWith(prefix) ? sides[0] : prefix + sides[0];
            changed.settings[key.toStdString()] = sides[1].toStdString();
        }
        if (changed.settings.empty()) return;
        add_(std::move(changed));
        close();
    });
}

}  // namespace kurve::views
