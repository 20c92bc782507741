#include <cstdio>

#include "app/studio/studio_app.h"
#include "app/studio/studio_application.h"
#include "app/studio/tour/tour.h"
#include "core/base/version.h"

int main(int argc, char** argv) {
    using namespace kurve::studio;
    QStringList arguments;
    for (int i = 1; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
    const auto options = parseOptions(arguments);
    if (!options) {
        std::fprintf(stderr, "kurve-studio: %s\n", options.error().text().c_str());
        return options.error().exitCode();
    }
    if (options->help) return std::fputs(qPrintable(usageText()), stdout) < 0;
    if (options->version)
        return std::printf("kurve-studio %s (%s) Qt %s\n", kurve::versionText(), kurve::commitText(),
                           qVersion()) < 0;

    if (!options->manualPages.isEmpty()) {
        const auto written = kurve::writeManualPage(options->manualPages.toStdString(), manualPage());
        if (!written) std::fprintf(stderr, "kurve-studio: %s\n", written.error().text().c_str());
        return written ? 0 : written.error().exitCode();
    }

    QCoreApplication::setOrganizationName(QStringLiteral("kurve"));
    QCoreApplication::setApplicationName(QStringLiteral("studio"));
    QTemporaryFile screen;
    if (!options->tour.isEmpty())
        if (const auto made = makeTourScreen(screen, *options->size); !made) {
            std::fprintf(stderr, "kurve-studio: %s\n", made.error().text().c_str());
            return made.error().exitCode();
        }
    StudioApplication application(argc, argv);
    QApplication::setApplicationDisplayName(QStringLiteral("Kurve"));
    StudioApp studio(*options);
    if (options->tour.isEmpty()) {
        // Within the event loop: what is thrown while a project opens is told on the start page.
        QMetaObject::invokeMethod(&studio, &StudioApp::start, Qt::QueuedConnection);
        return QApplication::exec();
    }
    if (options->project.isEmpty() || !studio.openProject(options->project)) {
        std::fprintf(stderr,
                     "kurve-studio: --tour needs a project folder: kurve-studio PROJECT --tour DIR\n");
        return 2;
    }
    Tour tour(*studio.window(), *studio.session(), options->tour);
    QObject::connect(&tour, &Tour::finished, &application, &QCoreApplication::exit, Qt::QueuedConnection);
    tour.start();
    return QApplication::exec();
}
