#include "app/studio/studio_options.h"

#include <QRegularExpression>
#include <algorithm>

namespace kurve::studio {

namespace {

struct OptionDoc {
    const char *name, *value, *text;  ///< the help breaks the text at \n
};
constexpr OptionDoc kOptions[] = {
    {"--workspace", "NAME", "train, inspect, compare or data"},
    {"--run", "ID[,ID…]", "select this run, or these; may be given several times"},
    {"--theme", "NAME", "light, dark, contrast (high contrast) or system"},
    {"--scale", "X", "size of everything, 1.0 to 3.0 (also Ctrl+= and Ctrl+-)"},
    {"--size", "WxH", "of the window in pixels, also of the pictures of --tour (1600x1000)"},
    {"--no-restore", "",
     "begin without the last session's layout, selection and draft\n"
     "(they stay in layouts/session.previous.json)"},
    {"--tour", "DIR",
     "write a picture of every panel and index.json to DIR, then end;\n"
     "needs no display"},
    {"--version", "", "version, commit and Qt's version"},
    {"--help", "", "this list"}};
constexpr const char *kSynopsis = "kurve-studio [PROJECT]",
                     *kSummary = "train, inspect and compare language models";
/// For the installation; not in the help.
constexpr const char* kManualPages = "--manual-pages";

bool takesValue(const QString& name) {
    return name == QLatin1String(kManualPages) ||
           std::any_of(std::begin(kOptions), std::end(kOptions), [&](const OptionDoc& option) {
               return name == QLatin1String(option.name) && *option.value != '\0';
           });
}

Error wrong(const QString& option, const QString& got, const char* known) {
    return requestError("cli.usage", QStringLiteral("%1 does not take \"%2\"").arg(option, got).toStdString())
        .fix(known);
}

/// "1600x1000".
std::optional<QSize> sizeOf(const QString& text) {
    static const QRegularExpression kSize(QStringLiteral("^(\\d{3,5})x(\\d{3,5})$"));
    const auto match = kSize.match(text);
    const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
    constexpr int kLeast = 400, kMost = 10000;
    if (std::min(size.width(), size.height()) < kLeast || std::max(size.width(), size.height()) > kMost)
        return {};
    return size;
}

Status take(StudioOptions& options, const QString& name, const QString& value) {
    if (name == QLatin1String("--workspace")) {
        options.workspace = workspaceOf(value);
        if (!options.workspace) return wrong(name, value, "one of train, inspect, compare, data");
    } else if (name == QLatin1String("--theme")) {
        const int theme = views::choiceOf(kThemeNames, value, -1);
        if (theme < 0) return wrong(name, value, "one of light, dark, contrast, system");
        options.theme = static_cast<views::ThemeMode>(theme);
    } else if (name == QLatin1String("--scale")) {
        bool isNumber = false;
        options.scale = value.toDouble(&isNumber);
        if (!isNumber || *options.scale < 1 || *options.scale > 3)
            return wrong(name, value, "a number from 1.0 to 3.0");
    } else if (name == QLatin1String("--size")) {
        options.size = sizeOf(value);
        if (!options.size) return wrong(name, value, "WIDTHxHEIGHT in pixels, 400x400 to 10000x10000");
    } else if (name == QLatin1String("--run")) {
        const QStringList ids = value.split(QLatin1Char(','), Qt::SkipEmptyParts);
        if (ids.isEmpty()) return wrong(name, value, "the id of a run, or several with commas");
        for (const QString& id : ids)
            if (!options.runs.contains(id)) options.runs << id;
    } else if (name == QLatin1String("--tour")) {
        options.tour = value;
    } else if (name == QLatin1String(kManualPages)) {
        options.manualPages = value;
    }
    return {};
}

}  // namespace

Result<StudioOptions> parseOptions(const QStringList& arguments) {
    StudioOptions options;
    for (qsizetype i = 0; i < arguments.size(); ++i) {
        QString name = arguments[i], value;
        const qsizetype equals = name.startsWith(QLatin1String("--")) ? name.indexOf(QLatin1Char('=')) : -1;
        if (equals > 0) {
            value = name.mid(equals + 1);
            name = name.left(equals);
        }
        if (name == QLatin1String("--help") || name == QLatin1String("-h")) {
            options.help = true;
        } else if (name == QLatin1String("--version")) {
            options.version = true;
        } else if (name == QLatin1String("--no-restore")) {
            options.restore = false;
        } else if (takesValue(name)) {
            if (equals < 0 && ++i >= arguments.size())
                return requestError("cli.usage", (name + QStringLiteral(" needs a value")).toStdString())
                    .fix("see --help");
            KURVE_CHECKED(take(options, name, equals < 0 ? arguments[i] : value));
        } else if (name.startsWith(QLatin1Char('-'))) {
            return requestError("cli.usage", QStringLiteral("unknown option %1").arg(name).toStdString())
                .fix("see --help");
        } else if (options.project.isEmpty()) {
            options.project = name;
        } else {
            return requestError("cli.usage", "only one project can be opened").fix("see --help");
        }
    }
    if (!options.tour.isEmpty() && !options.size) options.size = QSize(1600, 1000);
    return options;
}

QString usageText() {
    constexpr int kTextColumn = 21;
    QString text = QStringLiteral("%1 [options]   %2; PROJECT is a folder with a project.toml\n")
                       .arg(QLatin1String(kSynopsis), QLatin1String(kSummary));
    for (const OptionDoc& option : kOptions) {
        const QString name =
            QStringLiteral("  %1 %2").arg(QString::fromUtf8(option.name), QString::fromUtf8(option.value));
        text += name.leftJustified(kTextColumn) +
                QString::fromUtf8(option.text)
                    .replace(QLatin1Char('\n'), QLatin1Char('\n') + QString(kTextColumn, QLatin1Char(' '))) +
                QLatin1Char('\n');
    }
    return text;
}

ManualPage manualPage() {
    ManualSection options{"Options", {}, {}, {}};
    for (const OptionDoc& option : kOptions) {
        std::string text = option.text;
        std::replace(text.begin(), text.end(), '\n', ' ');
        options.entries.push_back({option.name, option.value, std::move(text)});
    }
    ManualSection arguments{
        "Arguments", {}, {{"PROJECT", {}, "a folder with a project.toml; without it the last project"}}, {}};
    return {"kurve-studio",
            kSummary,
            {std::string(kSynopsis) + " [options]"},
            {std::move(arguments), std::move(options)},
            {"kurve"}};
}

}  // namespace kurve::studio
