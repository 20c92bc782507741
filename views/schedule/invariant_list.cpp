#include "views/schedule/invariant_list.h"

#include <QLabel>
#include <QPushButton>
#include <algorithm>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

InvariantList::InvariantList(QWidget* parent) : QWidget(parent), column_(new QVBoxLayout(this)) {
    setObjectName(QStringLiteral("schedule.invariants"));
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(px(2));
}

void InvariantList::show(const std::vector<schedule::Finding>& findings) {
    findings_ = findings;
    while (rows_.size() < findings.size()) addRow(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        rows_[i]->setVisible(i < findings.size());
        if (i >= findings.size()) continue;
        const schedule::Finding& finding = findings[i];
        const QColor color = finding.holds ? theme().good : theme().bad;
        rows_[i]->findChild<QLabel*>()->setText(
            QStringLiteral("<span style='color:%1'>%2</span> %3")
                .arg(color.name(), finding.holds ? QStringLiteral("✓") : QStringLiteral("✗ <b>"),
                     QString::fromStdString(finding.text).toHtmlEscaped()));
        rows_[i]->findChild<QPushButton*>()->setVisible(finding.repair.has_value());
    }
}

void InvariantList::addRow(std::size_t index) {
    auto* row = new QWidget;
    auto* text = describe(new QLabel, QStringLiteral("schedule.invariant.%1").arg(index),
                          {.wraps = true, .format = Qt::RichText});
    auto* fix =
        describe(new QPushButton(tr("Repair")), QStringLiteral("schedule.repair.%1").arg(index),
                 tr("Repair (nearest valid schedule)"), tr("Replace with the nearest valid schedule"));
    connect(fix, &QPushButton::clicked, this, [this, index] {
        if (findings_[index].repair) Q_EMIT repaired(schedule::Repair(*findings_[index].repair));
    });
    hboxIn(row, {{text, 1}, fix}, {.margins = 0});
    column_->addWidget(row);
    rows_.push_back(row);
}

}  // namespace kurve::views
