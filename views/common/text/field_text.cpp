#include "views/common/text/field_text.h"

#include <QObject>

#include "core/base/text.h"
#include "views/common/text/format.h"

namespace kurve::views {

QString fieldLabel(const std::string& key) {
    const QString whole = QString::fromStdString(key);
    QString label = whole.section(QLatin1Char('.'), 1);
    if (label.isEmpty()) label = whole;
    return label.replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString fieldRange(const FieldSpec& field) {
    if (field.min && field.max)
        return QStringLiteral("%1 … %2").arg(numberText(*field.min, 6), numberText(*field.max, 6));
    if (field.min) return QStringLiteral("≥ %1").arg(numberText(*field.min, 6));
    if (field.max) return QStringLiteral("≤ %1").arg(numberText(*field.max, 6));
    return {};
}

QString fieldTip(const FieldSpec& field, const QStringList& more) {
    const auto escaped = [](const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); };
    const QString text = QStringLiteral("<p style=\"white-space:pre-wrap\"><b>%1</b><br>%2</p>")
                             .arg(escaped(field.key), escaped(field.doc));
    QStringList facts;
    facts << QObject::tr("default %1").arg(escaped(fieldValueText(field.fallback)));
    if (const QString range = fieldRange(field); !range.isEmpty()) facts << range.toHtmlEscaped();
    if (field.type == FieldType::Run)
        facts << QObject::tr("NAME or NAME@CHECKPOINT, of %1")
                     .arg(field.fitting.empty() ? QObject::tr("any run")
                                                : escaped(join(field.fitting, ", ")));
    if (!field.unitText.empty()) facts << escaped(field.unitText);
    if (!field.source.empty()) facts << escaped(field.source);
    if (!field.affectsResult) facts << QObject::tr("does not change the result");
    facts << more;
    return text + QStringLiteral("<p>%1</p>").arg(facts.join(QStringLiteral(" · ")));
}

}  // namespace kurve::views
