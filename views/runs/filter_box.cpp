#include "views/runs/filter_box.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QHeaderView>
#include <QMenu>
#include <QStandardItemModel>
#include <QTimer>
#include <QTreeView>

#include "core/store/filter_words.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

FilterBox::FilterBox(Runs runs, QWidget* parent)
    : QLineEdit(parent),
      runs_(std::move(runs)),
      proposals_(new QStandardItemModel(this)),
      menu_(new QMenu(this)) {
    auto* completer = new QCompleter(proposals_, this);
    completer->setCompletionMode(QCompleter::UnfilteredPopupCompletion);
    completer->setMaxVisibleItems(12);
    auto* list = new QTreeView;  // the text and its meaning
    list->setRootIsDecorated(false);
    list->setHeaderHidden(true);
    list->setAllColumnsShowFocus(true);
    list->setMinimumWidth(px(330));
    completer->setPopup(list);
    list->setObjectName(QStringLiteral("runs.filter.proposals"));
    setCompleter(completer);
    connect(this, &QLineEdit::textEdited, this, &FilterBox::propose);
    // After a key, propose its values.
    connect(completer, qOverload<const QString&>(&QCompleter::activated), this, [this] {
        QTimer::singleShot(0, this, [this] {
            propose();
            if (proposals_->rowCount() > 0 && !text().endsWith(QLatin1Char('>')))
                this->completer()->complete();
        });
    });
    connect(menu_, &QMenu::aboutToShow, this, &FilterBox::fillMenu);
}

void FilterBox::propose() {
    proposals_->clear();
    for (const auto& suggestion : store::suggestTerms(text().toStdString(), runs_())) {
        auto* note = new QStandardItem(QString::fromStdString(suggestion.note));
        note->setForeground(theme().muted);
        proposals_->appendRow({new QStandardItem(QString::fromStdString(suggestion.text)), note});
    }
    auto* list = qobject_cast<QTreeView*>(completer()->popup());
    list->header()->setStretchLastSection(true);
    list->setColumnWidth(0, px(200));
}

QStringList FilterBox::proposals() const {
    QStringList texts;
    for (int row = 0; row < proposals_->rowCount(); ++row) texts << proposals_->item(row)->text();
    return texts;
}

void FilterBox::setSaved(const QStringList& filters) {
    saved_ = filters;
}

void FilterBox::saveOrRemove() {
    const QString filter = text().trimmed();
    if (filter.isEmpty()) return;
    if (!saved_.removeOne(filter)) saved_.append(filter);
    Q_EMIT savedChanged(saved_);
}

void FilterBox::fillMenu() {
    menu_->clear();
    const QString filter = text().trimmed();
    QAction* save =
        menu_->addAction(saved_.contains(filter) ? tr("Remove “%1”").arg(filter) : tr("Save this filter"),
                         this, &FilterBox::saveOrRemove);
    save->setEnabled(!filter.isEmpty());
    menu_->addSeparator();
    for (const QString& one : saved_) menu_->addAction(one, this, [this, one] { setText(one); });
    if (saved_.isEmpty()) menu_->addAction(tr("No saved filters"))->setEnabled(false);
    menu_->addSeparator();
    for (const QString& one :
         {QStringLiteral("is:starred"), QStringLiteral("tag:archived"), QStringLiteral("state:running")})
        menu_->addAction(one, this, [this, one] { setText(one); });
}

}  // namespace kurve::views
