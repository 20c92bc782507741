#include "views/runs/run_settings.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QTreeWidget>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

RunSettings::RunSettings(QWidget* parent) : QWidget(parent), search_(new QLineEdit), rows_(new QTreeWidget) {
    describe(search_, "inspector.search", tr("Search settings"),
             {.placeholder = tr("Search settings"), .clearable = true});
    rows_->setRootIsDecorated(false);
    rows_->setUniformRowHeights(true);
    rows_->setSelectionMode(QAbstractItemView::SingleSelection);
    rows_->header()->setStretchLastSection(false);  // such a section cannot shrink
    rows_->header()->setSectionResizeMode(QHeaderView::Stretch);
    rows_->header()->setMinimumSectionSize(px(24));  // elided
    rows_->setTextElideMode(Qt::ElideMiddle);
    rows_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    describe(rows_, "inspector.settings", tr("Settings of the run"));
    rows_->setHeaderLabels({tr("Setting"), tr("Value")});
    vboxIn(this, {search_, {rows_, 1}}, {.margins = {0, space::kSmall, 0, 0}});
    connect(search_, &QLineEdit::textChanged, this, &RunSettings::applySearch);
}

void RunSettings::clear() {
    rows_->clear();
}

void RunSettings::addRow(const QString& key, const QString& value, const QString& tip, bool changed) {
    auto* item = new QTreeWidgetItem(rows_, {key, value});
    item->setToolTip(0, tip);
    item->setToolTip(1, value);
    if (changed) return;
    for (const int column : {0, 1}) item->setForeground(column, theme().muted);
}

void RunSettings::setConfig(const RunConfig& config) {
    clear();
    const std::vector<std::string> changed = config.changedKeys();
    for (const bool wantChanged : {true, false})
        for (const FieldSpec& field : config.schema().fields) {
            const bool isChanged = std::ranges::find(changed, field.key) != changed.end();
            if (isChanged != wantChanged) continue;
            QString tip = qt(field.doc);
            if (isChanged) tip += tr("\nDefault: %1").arg(qt(fieldValueText(field.fallback)));
            addRow(qt(field.key), qt(fieldValueText(config.value(field.key))), tip, isChanged);
        }
    applySearch();
}

void RunSettings::setText(const QString& toml) {
    clear();
    QString table;
    for (const QString& line : toml.split(QLatin1Char('\n'))) {
        if (line.startsWith(QLatin1Char('[')))
            table = line.mid(1).section(QLatin1Char(']'), 0, 0) + QLatin1Char('.');
        const qsizetype equals = line.indexOf(QLatin1Char('='));
        if (equals > 0)
            addRow(table + line.left(equals).trimmed(), line.mid(equals + 1).trimmed(), {}, false);
    }
    applySearch();
}

void RunSettings::applySearch() {
    const QString wanted = search_->text().trimmed();
    for (int i = 0; i < rows_->topLevelItemCount(); ++i) {
        QTreeWidgetItem* item = rows_->topLevelItem(i);
        item->setHidden(!wanted.isEmpty() && !item->text(0).contains(wanted, Qt::CaseInsensitive) &&
                        !item->text(1).contains(wanted, Qt::CaseInsensitive));
    }
}

}  // namespace kurve::views
