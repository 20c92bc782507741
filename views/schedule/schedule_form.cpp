#include "views/schedule/schedule_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>

#include "views/common/number_control.h"
#include "views/common/theme.h"

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
      headingLabel_(new QLabel),
      kinds_(new QComboBox),
      doc_(new QLabel) {
    setObjectName(id);
    headingLabel_->setProperty("role", "title");
    headingLabel_->setTextFormat(Qt::RichText);
    kinds_->setObjectName(id + QStringLiteral(".kind"));
    kinds_->setAccessibleName(heading);
    kinds_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    kinds_->setMinimumContentsLength(8);
    if (optional == Optional::Yes) kinds_->addItem(tr("none"), QString());
    for (const auto& kind : schedule::scheduleKinds())
        kinds_->addItem(QString::fromStdString(kind.title), QString::fromStdString(kind.id));
    doc_->setProperty("role", "caption");
    doc_->setWordWrap(true);
    auto* resetButton = new QPushButton(tr("Defaults"));
    resetButton->setObjectName(id + QStringLiteral(".reset"));
    resetButton->setAccessibleName(tr("Defaults of %1").arg(heading));
    resetButton->setProperty("role", "quiet");
    connect(resetButton, &QPushButton::clicked, this, &ScheduleForm::reset);

    auto* top = new QHBoxLayout;
    top->addWidget(headingLabel_, 1);
    top->addWidget(resetButton);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(6));
    column->addLayout(top);
    column->addWidget(kinds_);
    column->addWidget(doc_);
    connect(kinds_, &QComboBox::currentIndexChanged, this, [this] {
        rebuild();
        Q_EMIT changed();
    });
    rebuild();
}

void ScheduleForm::choose(const QString& kindId) {
    kinds_->setCurrentIndex(std::max(0, kinds_->findData(kindId)));
}

QString ScheduleForm::chosen() const {
    return kinds_->currentData().toString();
}

std::unique_ptr<schedule::NoiseSchedule> ScheduleForm::make() const {
    const std::string id = chosen().toStdString();
    if (id.empty()) return nullptr;
    const auto values = values_.find(id);
    auto made = schedule::makeSchedule(
        id, values == values_.end() ? std::map<std::string, std::string>() : values->second);
    return made ? std::move(*made) : nullptr;
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
    const auto* kind = schedule::findScheduleKind(chosen().toStdString());
    doc_->setVisible(kind != nullptr);
    if (kind == nullptr) return;
    doc_->setText(QStringLiteral("%1 (%2)").arg(QString::fromStdString(kind->doc),
                                                QString::fromStdString(kind->source)));
    for (const FieldSpec& field : kind->fields) addField(field);
}

void ScheduleForm::addField(const FieldSpec& field) {
    if (field.type == FieldType::Text) return;  // points are no setting of one line
    const auto& set = values_[chosen().toStdString()];
    const auto found = set.find(field.key);
    const QString value =
        QString::fromStdString(found == set.end() ? fieldValueText(field.fallback) : found->second);
    QWidget* control =
        field.type == FieldType::Flag ? flagControl(field, value) : numberControl(field, value);
    control->setToolTip(tipOf(field));
    auto* label = new QLabel(labelOf(field));
    label->setToolTip(tipOf(field));
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
    auto* control = new QCheckBox;
    control->setObjectName(id_ + QStringLiteral(".") + QString::fromStdString(field.key));
    control->setAccessibleName(labelOf(field));
    control->setChecked(value == QStringLiteral("true"));
    connect(control, &QCheckBox::toggled, this,
            [this, key = field.key](bool on) { set(key, on ? "true" : "false"); });
    return control;
}

void ScheduleForm::set(const std::string& key, const std::string& text) {
    values_[chosen().toStdString()][key] = text;
    Q_EMIT changed();
}

void ScheduleForm::reset() {
    values_.erase(chosen().toStdString());
    rebuild();
    Q_EMIT changed();
}

}  // namespace kurve::views
