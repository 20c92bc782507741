#include "views/schedule/schedule_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <cmath>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/number_control.h"
#include "views/common/text/elided_label.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

double number(const FieldValue& value) {
    return std::holds_alternative<std::int64_t>(value) ? static_cast<double>(std::get<std::int64_t>(value))
                                                       : std::get<double>(value);
}

/// Slider law and steps that suit a field's range and default.
NumberControl::Range rangeOf(const FieldSpec& field) {
    const bool whole = field.type == FieldType::Integer;
    NumberControl::Range range{field.min.value_or(-1e6), field.max.value_or(1e6), whole ? 1.0 : 0.01,
                               whole ? 0 : 6};
    const double usual = number(field.fallback);
    if (range.low > 0 && range.high / range.low >= 1000)
        range.scale = NumberControl::Scale::Logarithmic;
    else if (usual - range.low < 0.1 * (range.high - range.low))
        range.scale = NumberControl::Scale::FineNearZero;
    if (!whole && usual > 0) range.step = std::pow(10, std::floor(std::log10(usual)) - 1);
    return range;
}

QString tipOf(const FieldSpec& field) {
    QString tip = QString::fromStdString(field.doc);
    if (!field.source.empty()) tip += QStringLiteral("\n") + QString::fromStdString(field.source);
    return tip;
}

QString labelOf(const FieldSpec& field) {
    QString label = QString::fromStdString(field.key).replace('_', ' ');
    label[0] = label[0].toUpper();
    return label.replace(QStringLiteral("Vp rf"), QStringLiteral("VP rescaling"));
}

}  // namespace

ScheduleForm::ScheduleForm(const QString& id, const QString& heading, Optional optional, QWidget* parent)
    : QWidget(parent),
      id_(id),
      heading_(heading),
      optional_(optional == Optional::Yes),
      headingLabel_(describe(new QLabel, {.role = "title", .format = Qt::RichText})),
      kinds_(describe(new QComboBox, id + QStringLiteral(".kind"), heading, {.letters = 8})),
      file_(new ElidedLabel("caption")),
      doc_(describe(new QLabel, {.role = "caption", .wraps = true})) {
    setObjectName(id);
    auto* resetButton = describe(new QPushButton(tr("Defaults")), id + QStringLiteral(".reset"),
                                 tr("Defaults of %1").arg(heading), {.role = "quiet"});
    connect(resetButton, &QPushButton::clicked, this, &ScheduleForm::reset);

    auto* top = hbox({headingLabel_, {file_, 1}, resetButton});
    vboxIn(this, {top, kinds_, doc_}, {.margins = 0, .spacing = 6});
    if (!optional_) value_.kind = schedule::scheduleKinds().front().id;
    connect(kinds_, &QComboBox::currentIndexChanged, this, &ScheduleForm::chosen);
    fillKinds();
    rebuild();
}

void ScheduleForm::fillKinds() {
    const QSignalBlocker quiet(kinds_);
    kinds_->clear();
    if (optional_) kinds_->addItem(tr("none"), QString());
    for (const auto& kind : schedule::scheduleKinds())
        kinds_->addItem(QString::fromStdString(kind.title), QString::fromStdString(kind.id));
    if (!files_.isEmpty()) kinds_->insertSeparator(kinds_->count());
    for (const QString& name : files_)
        kinds_->addItem(QStringLiteral("schedules/") + name, QStringLiteral("file:") + name);
    kinds_->setCurrentIndex(std::max(0, kinds_->findData(QString::fromStdString(value_.kind))));
}

void ScheduleForm::setFiles(const QStringList& names) {
    if (names == files_) return;
    files_ = names;
    fillKinds();
}

void ScheduleForm::setValue(const schedule::LabSchedule& value) {
    value_ = value;
    const QSignalBlocker quiet(kinds_);
    kinds_->setCurrentIndex(std::max(0, kinds_->findData(QString::fromStdString(value_.kind))));
    rebuild();
}

void ScheduleForm::setFile(const std::string& name) {
    value_.file = name;
    file_->setText(value_.drawn() && !name.empty()
                       ? QStringLiteral("schedules/%1").arg(QString::fromStdString(name))
                       : QString());
}

void ScheduleForm::chosen() {
    const QString id = kinds_->currentData().toString();
    if (id.startsWith(QStringLiteral("file:"))) {
        setValue(schedule::LabSchedule(value_));  // the list shows the kind again; the owner reads the file
        Q_EMIT fileChosen(id.mid(5));
        return;
    }
    value_.kind = id.toStdString();
    rebuild();
    Q_EMIT changed({});
}

void ScheduleForm::setColor(const QColor& color) {
    headingLabel_->setText(QStringLiteral("<span style='color:%1'>━</span> %2").arg(color.name(), heading_));
}

void ScheduleForm::rebuild() {
    delete fields_;
    fields_ = new QWidget;
    rows_ = new QFormLayout(fields_);
    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->setHorizontalSpacing(px(space::kSmall));
    rows_->setVerticalSpacing(px(5));
    rows_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    layout()->addWidget(fields_);
    setFile(std::string(value_.file));
    const auto* kind = schedule::findScheduleKind(value_.kind);
    doc_->setVisible(kind != nullptr);
    if (kind == nullptr) return;
    doc_->setText(QStringLiteral("%1 (%2)").arg(QString::fromStdString(kind->doc),
                                                QString::fromStdString(kind->source)));
    for (const FieldSpec& field : kind->fields) addField(field);
}

void ScheduleForm::addField(const FieldSpec& field) {
    // Points are no setting of one line, and their ends belong to them.
    if (field.type == FieldType::Text || (value_.drawn() && field.key == "zero_terminal")) return;
    const auto& set = value_.values[value_.kind];
    const auto found = set.find(field.key);
    const QString value =
        QString::fromStdString(found == set.end() ? fieldValueText(field.fallback) : found->second);
    QWidget* control =
        field.type == FieldType::Flag ? flagControl(field, value) : numberControl(field, value);
    control->setToolTip(tipOf(field));
    auto* label = describe(new QLabel(labelOf(field)), {}, {}, tipOf(field));
    label->setMinimumWidth(px(84));
    label->setBuddy(control);
    rows_->addRow(label, control);
}

QWidget* ScheduleForm::numberControl(const FieldSpec& field, const QString& value) {
    const QString id = id_ + QStringLiteral(".") + QString::fromStdString(field.key);
    auto* control = new NumberControl(id, labelOf(field), rangeOf(field));
    control->setValue(value.toDouble());
    const bool whole = field.type == FieldType::Integer;
    connect(control, &NumberControl::valueChanged, this, [this, key = field.key, whole](double chosenValue) {
        const FieldValue typed =
            whole ? FieldValue(static_cast<std::int64_t>(chosenValue)) : FieldValue(chosenValue);
        set(key, fieldValueText(typed));
    });
    return control;
}

QWidget* ScheduleForm::flagControl(const FieldSpec& field, const QString& value) {
    auto* control = describe(new QCheckBox, id_ + QStringLiteral(".") + QString::fromStdString(field.key),
                             labelOf(field));
    control->setChecked(value == QStringLiteral("true"));
    connect(control, &QCheckBox::toggled, this,
            [this, key = field.key](bool on) { set(key, on ? "true" : "false"); });
    return control;
}

void ScheduleForm::set(const std::string& key, const std::string& text) {
    value_.values[value_.kind][key] = text;
    Q_EMIT changed(id_ + QStringLiteral(".") + QString::fromStdString(key));
}

void ScheduleForm::reset() {
    value_.values.erase(value_.kind);
    value_.curves.erase(value_.kind);
    value_.file.clear();
    rebuild();
    Q_EMIT changed({});
}

}  // namespace kurve::views
