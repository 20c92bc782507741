# What a first release decides; these are placeholders. The id is AppStream's: a domain of the maintainer's, reversed.
set(KURVE_MAINTAINER "Kurve authors")
set(KURVE_MAINTAINER_ADDRESS authors@kurve.invalid)
set(KURVE_APPLICATION_ID org.kurve.studio)
