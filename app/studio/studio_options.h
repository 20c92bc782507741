#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>

#include "app/studio/panels.h"
#include "core/base/manual_page.h"
#include "core/base/result.h"
#include "views/common/form/saved_choice.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

/// Of views::ThemeMode, on the command line and in the user's settings.
inline constexpr views::ChoiceIds<4> kThemeNames{"light", "dark", "system", "contrast"};

/// The command line of kurve-studio (cli.md).
struct StudioOptions {
    QString project;  ///< empty: the last one, else the start page
    std::optional<WorkspaceId> workspace;
    QStringList runs;  ///< ids of those to be selected
    std::optional<views::ThemeMode> theme;
    std::optional<double> scale;
    std::optional<QSize> size;  ///< of the window
    bool restore = true;
    QString tour;         ///< folder for the pictures; empty: no tour
    QString manualPages;  ///< folder for the manual page, which is written instead of opening a window
    bool help = false, version = false;
};
/// Errors: cli.usage, with what is known as remedy.
Result<StudioOptions> parseOptions(const QStringList& arguments);
[[nodiscard]] QString usageText();
/// kurve-studio(1), of the same options.
[[nodiscard]] ManualPage manualPage();

}  // namespace kurve::studio
