#include "views/schedule/point_editor.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/number_control.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

using schedule::FreeCurve;
using schedule::PointMeaning;

namespace {

enum Column { kTime, kLogSnr, kSignal, kColumns };

double signalOf(double logSnr, bool masking) {
    const double power = 1 / (1 + std::exp(-logSnr));
    return masking ? power : std::sqrt(power);
}

double logSnrOfSignal(double signal, bool masking) {
    constexpr double kLeast = 1e-7;
    const double power = std::clamp(masking ? signal : signal * signal, kLeast, 1 - kLeast);
    return std::log(power / (1 - power));
}

NumberBox* limitBox(const QString& id, const QString& name, double value) {
    auto* box = describe(new NumberBox, id, name, name);
    box->setLocale(QLocale::c());
    box->setDecimals(3);
    box->setRange(-schedule::kMaxLogSnr, schedule::kMaxLogSnr);
    box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    box->setKeyboardTracking(false);
    box->setValue(value);
    box->setFixedWidth(px(54));
    return box;
}

}  // namespace

PointEditor::PointEditor(QWidget* parent) : QWidget(parent), table_(new QTableWidget(0, kColumns)) {
    setFocusProxy(table_);
    describe(table_, "schedule.points", tr("Points of schedule A"));
    table_->setHorizontalHeaderLabels({tr("t"), tr("log-SNR"), tr("α")});
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(px(22));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setFixedHeight(px(190));
    auto* column = vboxIn(this, {}, {.margins = 0, .spacing = 6});
    buildButtons(column);
    column->addWidget(table_);
    buildEnds(column);
    connect(table_, &QTableWidget::cellChanged, this, &PointEditor::cellChanged);
    connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) {
        if (filling_ || row == selected_) return;
        selected_ = row;
        Q_EMIT selected(row);
    });
}

QPushButton* PointEditor::button(const QString& id, const QString& text, const QString& tip) {
    return describe(new QPushButton(text), QStringLiteral("schedule.") + id, tip, tip, {.role = "quiet"});
}

void PointEditor::buildButtons(QVBoxLayout* column) {
    auto* title = describe(new QLabel(tr("Points of A")), {.role = "title"});
    undo_ = button(QStringLiteral("undo.button"), QStringLiteral("↶"), tr("Undo (Ctrl+Z)"));
    redo_ = button(QStringLiteral("redo.button"), QStringLiteral("↷"), tr("Redo (Ctrl+Shift+Z)"));
    column->addLayout(hbox({{title, 1}, undo_, redo_}));
    auto* add = button(QStringLiteral("add"), tr("Add"),
                       tr("Add a point beside the selected one (in the charts: double click)"));
    remove_ = button(QStringLiteral("removePoint"), tr("Remove"), tr("Remove the selected point (Del)"));
    auto* paste = button(QStringLiteral("paste"), tr("Paste"),
                         tr("Paste numbers as points: a list, or time and value per line"));
    meaning_ = describe(new QComboBox, "schedule.meaning", tr("Quantity of pasted numbers"),
                        tr("Quantity of pasted numbers"));
    for (const char* name : {"log-SNR", "α", "ᾱ = α²", "σ", "β"}) meaning_->addItem(QString::fromUtf8(name));
    column->addLayout(wrapBox({add, remove_, paste, meaning_}, {.spacing = space::kTight}));
    connect(add, &QPushButton::clicked, this, &PointEditor::addPoint);
    connect(remove_, &QPushButton::clicked, this, &PointEditor::removePoint);
    connect(paste, &QPushButton::clicked, this, [this] { pasteText(QGuiApplication::clipboard()->text()); });
    connect(undo_, &QPushButton::clicked, this, &PointEditor::undoWanted);
    connect(redo_, &QPushButton::clicked, this, &PointEditor::redoWanted);
}

void PointEditor::buildEnds(QVBoxLayout* column) {
    zeroTerminal_ = describe(new QCheckBox(tr("no signal at t = 1")), "schedule.zeroTerminal", {},
                             tr("zero terminal SNR: rescaled as in Lin et al. 2024"));
    clamp_ = describe(new QCheckBox(tr("log-SNR limits")), "schedule.clamp", {}, tr("Limits of the points"));
    low_ = limitBox(QStringLiteral("schedule.clampLow"), tr("Lowest log-SNR"), -12);
    high_ = limitBox(QStringLiteral("schedule.clampHigh"), tr("Highest log-SNR"), 12);
    column->addWidget(zeroTerminal_);
    column->addLayout(wrapBox({clamp_, low_, high_}));
    for (QCheckBox* box : {zeroTerminal_, clamp_})
        connect(box, &QCheckBox::toggled, this, &PointEditor::endsChanged);
    for (QDoubleSpinBox* box : {low_, high_})
        connect(box, &QDoubleSpinBox::valueChanged, this, &PointEditor::endsChanged);
}

void PointEditor::show(const FreeCurve& curve, int selected) {
    curve_ = curve;
    selected_ = selected;
    filling_ = true;
    fillTable();
    zeroTerminal_->setChecked(curve.zeroTerminal);
    clamp_->setChecked(curve.clamp.has_value());
    if (curve.clamp) {
        low_->setValue(curve.clamp->first);
        high_->setValue(curve.clamp->second);
    }
    low_->setEnabled(clamp_->isChecked());
    high_->setEnabled(clamp_->isChecked());
    filling_ = false;
    remove_->setEnabled(selected > 0 && selected + 1 < static_cast<int>(curve.points.size()));
}

void PointEditor::fillTable() {
    const int rows = static_cast<int>(curve_.points.size());
    table_->setRowCount(rows);
    for (int row = 0; row < rows; ++row) {
        const auto& point = curve_.points[static_cast<std::size_t>(row)];
        const double numbers[] = {point.t, point.logSnr, signalOf(point.logSnr, curve_.masking)};
        for (int column = 0; column < kColumns; ++column) {
            if (table_->item(row, column) == nullptr) table_->setItem(row, column, new QTableWidgetItem);
            QTableWidgetItem* item = table_->item(row, column);
            item->setText(QString::number(numbers[column], 'g', 5));
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            // The ends keep their times; a pasted list that does not reach them is mended by a Fix.
            const bool end = column == kTime && (row == 0 || row + 1 == rows);
            item->setFlags(end ? item->flags() & ~Qt::ItemIsEditable : item->flags() | Qt::ItemIsEditable);
        }
    }
    if (table_->currentRow() != selected_) table_->setCurrentCell(selected_, kLogSnr);
}

void PointEditor::setHistory(bool canUndo, bool canRedo) {
    undo_->setEnabled(canUndo);
    redo_->setEnabled(canRedo);
}

void PointEditor::cellChanged(int row, int column) {
    if (filling_) return;
    bool isNumber = false;
    const double number = table_->item(row, column)->text().replace(',', '.').toDouble(&isNumber);
    FreeCurve curve = curve_;
    const auto index = static_cast<std::size_t>(row);
    auto& point = curve.points[index];
    const double most = schedule::kMaxLogSnr;
    QString wrong;
    if (!isNumber || !std::isfinite(number))
        wrong = tr("Not a number; enter a decimal number.");
    else if (column == kTime && !(number > curve.points[index - 1].t && number < curve.points[index + 1].t))
        wrong = tr("Time out of range; enter one between those of the neighbouring points.");
    else if (column == kLogSnr && std::abs(number) > most)
        wrong = tr("log-SNR out of range; enter a value from −%1 to %1 nats.").arg(most);
    else if (column == kSignal && !(number >= 0 && number <= 1))
        wrong = tr("α out of range; enter a value between 0 and 1.");
    if (!wrong.isEmpty()) {
        show(FreeCurve(curve_), selected_);
        return Q_EMIT problem(wrong);
    }
    if (column == kTime)
        point.t = number;
    else
        point.logSnr = column == kLogSnr ? number : logSnrOfSignal(number, curve.masking);
    Q_EMIT edited(curve, {});
}

void PointEditor::endsChanged() {
    if (filling_) return;
    FreeCurve curve = curve_;
    curve.zeroTerminal = zeroTerminal_->isChecked();
    curve.clamp.reset();
    if (clamp_->isChecked())
        curve.clamp = {std::min(low_->value(), high_->value() - 1),
                       std::max(high_->value(), low_->value() + 1)};
    Q_EMIT edited(curve, {});
}

void PointEditor::addPoint() {
    const auto& points = curve_.points;
    std::size_t widest = 1;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const bool beside =
            selected_ < 0 || static_cast<int>(i) == selected_ || static_cast<int>(i) == selected_ + 1;
        const bool now = selected_ < 0 || static_cast<int>(widest) == selected_ ||
                         static_cast<int>(widest) == selected_ + 1;
        if (beside && (!now || points[i].t - points[i - 1].t > points[widest].t - points[widest - 1].t))
            widest = i;
    }
    FreeCurve curve = curve_;
    curve.points = withPointAt(curve_, (points[widest - 1].t + points[widest].t) / 2);
    if (curve.points.size() == points.size())
        return Q_EMIT problem(tr("Points too close; add the point elsewhere."));
    selected_ = static_cast<int>(widest);
    Q_EMIT edited(curve, {});
    Q_EMIT selected(static_cast<int>(widest));
}

void PointEditor::removePoint() {
    if (selected_ < 0 || selected_ >= static_cast<int>(curve_.points.size())) return;
    FreeCurve curve = curve_;
    curve.points = withoutPoint(curve_.points, static_cast<std::size_t>(selected_));
    if (curve.points.size() == curve_.points.size())
        return Q_EMIT problem(tr("End points cannot be removed."));
    Q_EMIT edited(curve, {});
}

void PointEditor::pasteText(const QString& text) {
    FreeCurve curve = curve_;
    auto points = schedule::parsePointList(
        text.toStdString(), static_cast<PointMeaning>(meaning_->currentIndex()), curve.masking);
    if (!points) return Q_EMIT problem(QString::fromStdString(points.error().text()));
    curve.points = std::move(*points);
    Q_EMIT edited(curve, {});
}

}  // namespace kurve::views
